"""Simulated systems: the truth about them is known, and retrieval with human judgments finds it."""

from pathlib import Path

import pytest
from scipy.stats import kendalltau

from clirbench.corpora.base import Corpus
from clirbench.corpora.manifest import DemoCorpus, demo_file
from clirbench.engines.local import Serial
from clirbench.errors import AlignmentError, ConfigError
from clirbench.experiment import run
from clirbench.labs import planning
from clirbench.labs.planning.simulated import SYSTEMS, SimulatedSystems
from clirbench.measures.parsing import parse
from clirbench.metrics.base import Metric
from clirbench.relevance.qrels import QrelsFile
from clirbench.result import Experiment, Result
from clirbench.retrieval.bm25 import BM25
from clirbench.systems.files import DemoSystems
from clirbench.text import TextLines
from clirbench.topics.files import JsonlTopics
from clirbench.types import Document, Documents, TestSet

CORPUS = DemoCorpus().read()


FAMILIES = {
    "fluent": {"wrong_content": 0.24, "dropped": 0.12, "truncation": 0.12},
    "adequate": {"word_order": 0.3, "function_words": 0.3, "repetition": 0.06, "untranslated": 0.05},
}


def demo(systems: SimulatedSystems, metrics: tuple[Metric, ...] = ()) -> Result:
    """The demo's collection with human judgments alone."""
    return run(
        Experiment(
            name="truth",
            engine=Serial(),
            corpus=DemoCorpus(),
            systems=systems,
            topics={"": JsonlTopics(demo_file("topics.jsonl"))},
            retriever=BM25(),
            relevance={"": QrelsFile(demo_file("qrels.txt"), judged_by="people")},
            measures=(parse("MAP"),),
            metrics=metrics,
        )
    )


def taus_with_the_truth(systems: SimulatedSystems) -> dict[str, float]:
    """Kendall's tau (scipy's) between true dose and MAP with qrels, within each kind."""
    board = demo(systems).board
    taus = {}
    for family in systems.kinds:
        rows = [i for i, name in enumerate(board.metadata["family"]) if name == family]
        truth = [-int(board.metadata["dose"][i].partition(" ")[0]) for i in rows]
        taus[family] = float(kendalltau(truth, board["MAP"].values[rows]).statistic)
    return taus


def test_map_with_qrels_recovers_the_true_order_within_each_kind() -> None:
    mixtures = taus_with_the_truth(SimulatedSystems(FAMILIES, doses=8))
    assert mixtures == {"fluent": pytest.approx(1), "adequate": pytest.approx(1)}
    assert taus_with_the_truth(SimulatedSystems()) == dict.fromkeys(SYSTEMS, pytest.approx(1))


def test_a_test_set_and_a_collection_of_other_texts() -> None:
    test = TestSet((("The cod is small.", "Nets are paid for."),))
    english = Documents.of([Document("a", "The cod quota."), Document("b", ""), Document("c", "Old nets, new nets.")])
    made = SimulatedSystems(FAMILIES, lexicon="").translations(Corpus(test, english))
    assert [len(t.test.lines()) for t in made if t.test is not None] == [2] * 4
    assert [t.collection.lines()[1] for t in made if t.collection is not None] == [""] * 4


def test_a_source_that_is_not_aligned_is_refused() -> None:
    corpus = Corpus(CORPUS.test, CORPUS.english, TextLines(("jen jedna",)))
    with pytest.raises(AlignmentError, match=r"has 1 lines, the reference side 670"):
        SimulatedSystems().translations(corpus)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"doses": 0}, "doses=0 must be a whole number"),
        ({"doses": True}, "doses=True"),
        ({"kinds": {}}, "at least one kind of system"),
        ({"kinds": {"a": {"dropped": 2}}}, "dropped=2 must be a number of at least 0 and at most 1"),
        ({"kinds": {"a": {"droped": 0.2}}}, "Did you mean 'dropped'"),
        ({"lexicon": "zz"}, "no such lexicon"),
    ],
)
def test_wrong_settings_of_simulated_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        SimulatedSystems(**change)  # type: ignore[arg-type]


def test_the_yaml_and_the_class_have_the_same_rates() -> None:
    """systems/simulated.yaml spells out what the class has by default."""
    conf = Path(planning.__file__).parent / "conf" / "systems" / "simulated.yaml"
    import yaml

    node = yaml.safe_load(conf.read_text(encoding="utf-8").replace("${seed}", "0"))
    assert SimulatedSystems(**{key: value for key, value in node.items() if key != "_target_"} | {"seed": 0}) == (
        SimulatedSystems()
    )


def test_the_demo_ships_what_the_defaults_make() -> None:
    corpus = DemoCorpus().read()
    made, shipped = (source.translations(corpus) for source in (SimulatedSystems(), DemoSystems()))
    assert [(t.system, dict(t.metadata), t.test.lines()) for t in shipped if t.test] == [
        (t.system, dict(t.metadata), t.test.lines()) for t in made if t.test
    ]
    assert len(shipped) == len(made) == 16
