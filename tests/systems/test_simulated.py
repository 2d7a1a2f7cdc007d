"""Simulated systems: the truth about them is known, and retrieval with human judgments finds it."""

from pathlib import Path

import pytest
from scipy.stats import kendalltau

from clirbench.corpora.base import Corpus
from clirbench.corpora.demo import DemoCorpus, demo_file
from clirbench.engines.local import Serial
from clirbench.errors import AlignmentError, ConfigError, UnknownName
from clirbench.experiment import run
from clirbench.measures.parsing import parse
from clirbench.relevance.qrels import QrelsFile
from clirbench.result import Experiment
from clirbench.retrieval.bm25 import BM25
from clirbench.systems.base import SystemSource
from clirbench.systems.error_model import ErrorModel
from clirbench.systems.simulated import SensitivitySystems, SimulatedSystems
from clirbench.text import TextLines
from clirbench.topics.jsonl import JsonlTopics
from clirbench.types import Document, Documents, TestSet

CORPUS = DemoCorpus().read()


def taus_with_the_truth(seed: int) -> dict[str, float]:
    """Kendall's tau (scipy's) between true level and MAP with qrels, within each family."""
    result = run(
        Experiment(
            name="truth",
            engine=Serial(),
            corpus=DemoCorpus(),
            systems=SimulatedSystems(seed=seed),
            topics={"": JsonlTopics(demo_file("topics.jsonl"))},
            retriever=BM25(),
            relevance={"": QrelsFile(demo_file("qrels.txt"))},
            measures=(parse("MAP"),),
        )
    )
    board = result.board
    taus = {}
    for family in ("fluent", "adequate"):
        rows = [i for i, name in enumerate(board.metadata["family"]) if name == family]
        truth = [-int(board.metadata["level"][i]) for i in rows]
        taus[family] = float(kendalltau(truth, board["MAP"].values[rows]).statistic)
    return taus


def test_map_with_qrels_recovers_the_true_order_within_each_family() -> None:
    assert taus_with_the_truth(0) == {"fluent": pytest.approx(1), "adequate": pytest.approx(1)}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 9))
def test_the_order_is_recovered_whatever_the_seed(seed: int) -> None:
    assert min(taus_with_the_truth(seed).values()) > 0.8


def test_sixteen_systems_in_two_families() -> None:
    assert isinstance(SimulatedSystems(), SystemSource)
    made = SimulatedSystems().translations(CORPUS)
    assert [t.system for t in made] == [f"{f}-{level}" for f in ("fluent", "adequate") for level in range(1, 9)]
    assert made[8].metadata == {"kind": "adequate but disfluent", "family": "adequate", "level": "1"}
    for translation in made:
        assert translation.test is translation.collection  # one text on both sides: written once
        assert translation.test is not None
        assert len(translation.test.lines()) == len(CORPUS.test)
    texts = {t.test.lines() for t in made if t.test is not None}
    assert len(texts) == 16


def test_the_same_seed_gives_the_same_texts_and_another_seed_others() -> None:
    def texts(seed: int) -> list[str]:
        return [t.test.fingerprint for t in SimulatedSystems(seed=seed).translations(CORPUS) if t.test is not None]

    assert texts(0) == texts(0)
    assert not set(texts(0)) & set(texts(1))


def test_untranslated_words_are_czech_where_the_lexicon_has_them() -> None:
    model = ErrorModel(untranslated=1.0)
    worst = SimulatedSystems(fluent=model, adequate=model, levels=1).translations(CORPUS)[0]
    assert worst.test is not None
    assert "tresky v našich" not in worst.test.lines()[0]  # function words stay English
    assert " tresky in our severních vodách is in " in worst.test.lines()[0]


def test_a_test_set_and_a_collection_of_other_texts() -> None:
    test = TestSet((("The cod is small.", "Nets are paid for."),))
    english = Documents.of([Document("a", "The cod quota."), Document("b", ""), Document("c", "Old nets, new nets.")])
    made = SimulatedSystems(levels=2, lexicon="").translations(Corpus(test, english))
    assert [len(t.test.lines()) for t in made if t.test is not None] == [2] * 4
    assert [t.collection.lines()[1] for t in made if t.collection is not None] == [""] * 4


def test_a_source_that_is_not_aligned_is_refused() -> None:
    corpus = Corpus(CORPUS.test, CORPUS.english, TextLines(("jen jedna",)))
    with pytest.raises(AlignmentError, match=r"has 1 lines, the English side 670"):
        SimulatedSystems().translations(corpus)


def test_sensitivity_has_one_kind_at_a_time_and_the_perfect_translation() -> None:
    assert isinstance(SensitivitySystems(), SystemSource)
    made = SensitivitySystems(kinds=("dropped", "word_order"), rates=(0.3, 0.1)).translations(CORPUS)
    assert [t.system for t in made] == ["perfect", "dropped-0.1", "dropped-0.3", "word_order-0.1", "word_order-0.3"]
    assert made[0].test is not None
    assert made[0].test.lines() == CORPUS.test.references[0]
    assert [dict(t.metadata) for t in made[:2]] == [{"kind": "none", "rate": "0"}, {"kind": "dropped", "rate": "0.1"}]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"levels": 0}, "levels=0: a whole number"),
        ({"levels": True}, "levels=True"),
        ({"lexicon": "zz"}, "no such lexicon"),
    ],
)
def test_wrong_settings_of_simulated_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        SimulatedSystems(**change)  # type: ignore[arg-type]


def test_wrong_settings_of_sensitivity_are_refused() -> None:
    with pytest.raises(UnknownName, match=r"Did you mean 'truncation'"):
        SensitivitySystems(kinds=("truncated",))
    for rates in ((), (0.0,), (1.5,), (0.1, 0.1)):
        with pytest.raises(ConfigError, match=r"rates above 0 and at most 1"):
            SensitivitySystems(rates=rates)
    with pytest.raises(ConfigError, match=r"some kinds, each once"):
        SensitivitySystems(kinds=())


def test_the_yaml_and_the_class_have_the_same_rates() -> None:
    """conf/systems/simulated.yaml spells out what the class has by default."""
    conf = Path(__file__).resolve().parents[2] / "conf" / "systems" / "simulated.yaml"
    import yaml

    node = yaml.safe_load(conf.read_text(encoding="utf-8").replace("${seed}", "0"))
    models = {
        name: ErrorModel(**{k: v for k, v in node[name].items() if k != "_target_"}) for name in ("fluent", "adequate")
    }
    assert (
        SimulatedSystems(**models, levels=node["levels"], seed=node["seed"], lexicon=node["lexicon"])
        == SimulatedSystems()
    )
