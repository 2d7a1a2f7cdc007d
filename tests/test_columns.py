"""From numbers to columns by hand: whose number it is, which way it points, how it is aggregated, what is left out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

from clirbench.columns import (
    capped,
    is_searched,
    joined,
    measure_columns,
    measure_parts,
    metric_columns,
    require_columns,
    scoreboard,
    scored_against,
)
from clirbench.corpora.base import Corpus
from clirbench.engines.local import Serial
from clirbench.errors import ConfigError, InputError, UnknownName
from clirbench.files.score_tables import ScoreTables
from clirbench.keys import BY_NAME
from clirbench.measures.parsing import parse
from clirbench.metrics.macrof import MacroF
from clirbench.result import Counts, Experiment, Inputs, Retrieval
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.correlation import Correlation
from clirbench.statistics.kinds import KindTau
from clirbench.types import Document, Documents, Judged, Qrels, Run, TestSet, Translation
from tests.wrong_words import WrongWords

NOTHING = Run.of({})


@dataclass(frozen=True)
class Signed:
    """Topics, judgments or a retriever of which the signature alone counts, and who judged."""

    signature: str
    judged_by: str = "pseudo-relevance"


def inputs(systems: Sequence[str], collection: str = "", **metadata: str) -> Inputs:
    corpus = Corpus(TestSet((("one",), ("two",))), Documents.of([Document("1", "x")]), collection=collection)
    return Inputs(corpus, tuple(Translation(system, None, None, metadata) for system in systems), {})


def searched(systems: Sequence[str], values: Mapping[str, Sequence[Sequence[float]]], share: float = 0.1) -> Retrieval:
    """A finished retrieval: per-topic values of each measure, and the share of what matches that is relevant."""
    per_topic = {("", name): np.array(rows) for name, rows in values.items()}
    counts = Counts(9, 2, 2, (), (), 3.0, share)
    runs = dict.fromkeys(systems, NOTHING)
    return Retrieval(NOTHING, {"": Judged(Qrels({}), NOTHING)}, {"": counts}, runs, per_topic)


def experiment(measures: Sequence[str] = (), judged_by: str = "pseudo-relevance", primary: str = "") -> Experiment:
    return Experiment(
        "by hand",
        Serial(),
        topics={"": Signed("titles")},  # type: ignore[dict-item]
        retriever=Signed("bm25"),  # type: ignore[arg-type]
        relevance={"": Signed("top100", judged_by)},  # type: ignore[dict-item]
        metrics=(MacroF(), WrongWords()),
        measures=tuple(map(parse, measures)),
        primary=primary,
    )


def test_a_metric_keeps_its_direction_and_each_system_its_score() -> None:
    scores = {("Wrong", "b"): 30.0, ("Wrong", "a"): 10.0, ("MacroF1", "b"): 60.0}
    macro, wer = metric_columns(experiment(), ("a", "b"), scores, 2)
    assert (macro.higher_is_better, wer.higher_is_better) == (True, False)
    assert wer.values.tolist() == [10, 30]
    assert wer.oriented.tolist() == [-10, -30]
    assert np.array_equal(macro.values, [np.nan, 60], equal_nan=True)
    assert wer.signature.startswith("nrefs:2|Wrong|")


def test_a_measure_is_aggregated_in_its_own_way() -> None:
    """The geometric mean of .01 and 1 is .1, that of .09 and .25 is .15; the runs are in another order."""
    values = {"GMAP": [[0.01, 1], [0.09, 0.25]], "MAP": [[0.01, 1], [0.09, 0.25]], "RBO(variant=res)": [[0, 1], [1, 1]]}
    made = experiment(list(values))
    columns = measure_columns(made, inputs("abc"), tuple("abc"), "", searched("ba", values))
    expected = {"GMAP": [0.15, 0.1], "MAP": [0.17, 0.505], "RBO(variant=res)": [1, 0.5]}
    for column in columns:
        assert column.values[:2] == pytest.approx(expected[column.name])
        assert np.isnan(column.values[2])
    assert [column.higher_is_better for column in columns] == [True, True, False]
    assert columns[1].signature == f"bm25|topics:titles|rel:top100|{parse('MAP').signature}"


def test_a_column_of_another_collection_or_retriever_says_so() -> None:
    made = experiment(["MAP"])
    (column,) = measure_columns(made, inputs("a", "news"), "a", "titles", searched("a", {"MAP": [[1.0]]}))
    assert column.name == "MAP[news,titles]"
    others = Experiment(**{**vars(made), "runs": "folder"})
    parts, declared = measure_parts(others, made.measures[0], searched("a", {}), "")
    assert parts[:2] == ("runs:of others", "topics:titles")
    assert declared["judged_by"] == "pseudo-relevance"


def test_rbo_compares_with_the_english_side_whoever_judged() -> None:
    made = experiment(["RBO", "MAP"], "people")
    of = {m.name: measure_parts(made, m, searched("a", {}), "") for m in made.measures}
    assert {name: declared["judged_by"] for name, (_, declared) in of.items()} == {
        "RBO": "pseudo-relevance",
        "MAP": "people",
    }
    assert of["RBO"][0][2] == "rel:english|topics of top100"


def test_what_says_little_of_the_order_is_kept() -> None:
    names = ["MAP", "P@10", "GMAP", "AP(rel=1)", "nDCG@10", "RBP", "R@5", "RBO"]
    found = searched("a", {name: [[0.5]] for name in names}, 0.9)
    assert [column.name for column in measure_columns(experiment(names), inputs("a"), "a", "", found)] == names
    assert found.counts[""].unordered


@pytest.mark.parametrize(
    ("judges", "primary", "first"),
    [
        ({"MAP": "people", "RBO(p=0.9)": "pseudo-relevance"}, "", "MAP"),
        ({"MAP": "pseudo-relevance", "RBO(p=0.9)": "pseudo-relevance"}, "", "RBO(p=0.9)"),
        ({"MAP": "pseudo-relevance", "RBO(p=0.9)[news]": "pseudo-relevance"}, "", "RBO(p=0.9)[news]"),
        ({"MAP": "people", "P@10": "people"}, "P@10", "P@10"),
        ({"nDCG": "known_items", "P@10": "known_items"}, "", "nDCG"),
        ({"MAP": "pseudo-relevance", "nDCG": "known_items", "RBO(p=0.9)": "pseudo-relevance"}, "", "nDCG"),
        ({"MAP": "made", "nDCG": "people"}, "", "nDCG"),
        ({"MAP": "pseudo-relevance", "RBO": "pseudo-relevance"}, "", "MAP"),
    ],
)
def test_the_answer_is_about_what_was_named_then_people_then_the_registered_measure(
    judges: Mapping[str, str], primary: str, first: str
) -> None:
    columns = tuple(Column(name, "measure", np.ones(2), declared={"judged_by": by}) for name, by in judges.items())
    found = Scoreboard(("a", "b"), columns, primary=primary).first_measure
    assert found is not None
    assert found.name == first


@pytest.mark.parametrize(
    ("measures", "judged_by", "primary", "first", "is_listed"),
    [
        (["MAP"], "pseudo-relevance", "", "MAP", False),
        (["P@10", "MAP"], "pseudo-relevance", "", "P@10", True),
        (["MAP", "RBO(p=0.9)"], "pseudo-relevance", "", "RBO(p=0.9)", False),
        (["MAP", "nDCG"], "pseudo-relevance", "nDCG", "nDCG", False),
        (["MAP"], "people", "", "MAP", False),
        (BY_NAME["measures"].default, "pseudo-relevance", "", "RBO(p=0.9)", False),
    ],
)
def test_the_first_of_measures_without_the_registered_one_is_what_the_answer_is_about(
    measures: list[str], judged_by: str, primary: str, first: str, is_listed: bool
) -> None:
    """By the issue: `measures=[MAP]` was answered by RBO(p=0.9), which nobody had listed."""
    made = experiment(measures, judged_by, primary)
    of = {m.name: measure_parts(made, m, searched("a", {}), "")[1] for m in made.measures}
    columns = tuple(Column(name, "measure", np.ones(2), declared=declared) for name, declared in of.items())
    board = Scoreboard(("a", "b"), columns, primary=primary)
    assert board.first_measure is board[first]
    assert board.first_is_listed is is_listed


def test_imported_scores_go_to_the_systems_of_their_names() -> None:
    computed = Scoreboard(
        tuple("bac"),
        (Column("BLEU", "metric", np.array([1.0, 2, 3])), Column("MAP", "measure", np.array([0.1, 0.2, 0.3]))),
        {"kind": ("x", "y", "z")},
    )
    imported = Scoreboard(
        tuple("cdb"),
        (
            Column("human", "measure", np.array([3.0, 9, 1]), origin="imported"),
            Column("edits", "metric", np.array([30.0, 90, 10]), higher_is_better=False, origin="imported"),
        ),
        {"kind": ("p", "q", "r"), "year": ("03", "09", "01"), "MAP": ("u", "v", "w")},
    )
    board, notes = joined(computed, imported)
    assert board.systems == ("b", "a", "c")
    # A measure that somebody brings comes before ours: answer and decision are about the first one.
    assert [column.name for column in board.columns] == ["BLEU", "edits", "human", "MAP"]
    assert board.first_measure is board["human"]
    assert np.array_equal(board["edits"].values, [10, np.nan, 30], equal_nan=True)
    assert np.array_equal(board["human"].values, [1, np.nan, 3], equal_nan=True)
    assert not board["edits"].higher_is_better
    assert board["MAP"].values.tolist() == [0.1, 0.2, 0.3]
    assert board.metadata == {"kind": ("x", "y", "z"), "year": ("01", "", "03"), "MAP": ("w", "", "u")}
    assert notes == [
        "score tables: systems that are not part of this run were left out: d",
        "score tables have no row for: a",
    ]


def test_the_board_of_a_run_has_metrics_then_measures_and_the_metadata() -> None:
    made = experiment(["MAP"])
    board, notes = scoreboard(
        made, inputs("ba", Wrong="low", kind="k"), {("Wrong", "a"): 5.0}, {"": searched("b", {"MAP": [[0.25, 0.75]]})}
    )
    assert [column.name for column in board.columns] == ["MacroF1", "Wrong", "MAP"]
    assert np.array_equal(board["Wrong"].values, [np.nan, 5], equal_nan=True)
    assert np.array_equal(board["MAP"].values, [0.5, np.nan], equal_nan=True)
    assert board.metadata == {"Wrong (metadata)": ("low", "low"), "kind": ("k", "k")}
    assert notes == ["the metadata column Wrong is called Wrong (metadata) here: the run has a column Wrong"]


def test_names_that_look_alike_are_noted() -> None:
    _, notes = scoreboard(experiment(), inputs(("Online-B", "online-b", "c")), {}, {})
    assert notes[0].startswith("systems 'Online-B' and 'online-b' differ only in case")


def test_score_tables_alone_need_both_sides() -> None:
    metric, measure = Column("BLEU", "metric", np.array([1.0])), Column("MAP", "measure", np.array([1.0]))
    assert require_columns(board := Scoreboard(("a",), (metric, measure))) is board
    with pytest.raises(ConfigError, match="no IR measures.*Columns: BLEU"):
        require_columns(Scoreboard(("a",), (metric,)))
    with pytest.raises(ConfigError, match="no MT metrics.*Columns: MAP"):
        require_columns(Scoreboard(("a",), (measure,)))
    with pytest.raises(ConfigError, match=r"nDCG@20, named as .*scores.measures=\[MAP,nDCG@20\]"):
        require_columns(Scoreboard(("a",), (metric, measure, Column("nDCG@20", "metric", np.array([1.0])))))
    with pytest.raises(InputError, match="no systems"):
        require_columns(Scoreboard((), (Column("BLEU", "metric", np.array([])),)))


LINES = ("A cat sat.", "A dog ran.", "", "Yes.", "No.")


@pytest.mark.parametrize(
    ("reference", "same"),
    [
        (LINES, True),
        (("A cat sat.", "A dog ran.", "x", "y"), True),  # two of four
        (("A cat sat.", "A dog runs.", "x", "y"), False),
        (("No.", "Yes."), True),  # a part, in another order
        (("", ""), False),
    ],
)
def test_a_reference_is_the_text_that_is_searched_by_its_lines_alone(reference: Sequence[str], same: bool) -> None:
    english = Documents.of([Document(str(i), line) for i, line in enumerate(LINES)])
    assert is_searched(reference, Corpus(TestSet((reference,)), english)) == same


def imported(*names: str) -> list[Column]:
    return [Column(name, "metric", np.zeros(2), origin="imported") for name in names]


@pytest.mark.parametrize(
    "name", ["CometKiwi", "wmt22-cometkiwi-da", "COMET-QE", "MetricX-24-QE", "YiSi-2", "xcomet-src", "human"]
)
def test_names_say_that_a_score_needs_no_reference(name: str) -> None:
    (column,) = scored_against(imported(name), experiment(), inputs("ab").corpus)
    assert column.declared == {"scored_against": ""}


@pytest.mark.parametrize("name", ["COMET", "BLEURT", "MetricX", "AutoRank", "GEMBA", "xCOMET", "QEval", "humanlike"])
def test_other_names_say_nothing(name: str) -> None:
    (column,) = scored_against(imported(name), experiment(), inputs("ab").corpus)
    assert column.declared == {}


def test_metrics_that_need_a_reference_declare_its_content_and_a_setting_says_it_of_others() -> None:
    corpus = Corpus(TestSet((("x",), ("y",))), Documents.of([Document("1", "x")]))
    ours = metric_columns(experiment(), ("a", "b"), {}, 2)[0]
    told = replace(experiment(), tables=ScoreTables(reference={"COMET": "none"}))
    found = scored_against([ours, *imported("COMET", "BLEURT")], told, corpus)
    assert [column.declared.get("scored_against") for column in found] == ["searched other", "", None]
    for wrong in ({"COMMET": "none"}, {"COMET": "B"}):
        with pytest.raises(UnknownName, match="scores.reference"):
            list(scored_against(imported("COMET"), replace(told, tables=ScoreTables(reference=wrong)), corpus))
    with pytest.raises(ConfigError, match="scores.reference"):
        ScoreTables(reference="A")  # type: ignore[arg-type]


def test_strong_is_moderate_where_relevance_is_made_from_the_text_that_a_metric_scores_against() -> None:
    against = {
        "same": "searched",
        "both": "searched other",
        "other": "other",
        "none": "",
        "unknown": None,
        "seen": "searched",
    }
    columns = [
        Column(n, "metric", np.zeros(1), declared={} if a is None else {"scored_against": a})
        for n, a in against.items()
    ]
    made = {"judged_by": "pseudo-relevance", "made_from": "searched"}
    judges = {"RBO": made, "MAP[qrels]": {"judged_by": "people"}, "MAP[published]": {"made_from": ""}, "MAP[read]": {}}
    measures = [
        Column(n, "measure", np.zeros(1), declared=d, origin="imported" if "d]" in n else "computed")
        for n, d in judges.items()
    ]
    board = Scoreboard(("s",), (*columns, *measures))
    rows = [Correlation("RBO", name, "kendall", grade="strong") for name in against]
    rows += [
        Correlation("MAP[published]", "same", "kendall", grade="strong"),
        Correlation("RBO", "same", "kendall", grade="weak"),
    ]
    rows += [Correlation("MAP[qrels]", "seen", "kendall", grade="strong")]
    rows += [Correlation("MAP[read]", name, "kendall", grade="strong") for name in ("same", "other", "none", "unknown")]
    capped_rows = [(row.grade, row.lowered) for row in capped(rows, board)]
    low, high = ("moderate", "reference"), ("strong", "")
    assert capped_rows == [low, low, high, high, low, high, high, ("weak", ""), high, low, low, high, low]
    # A second reference lifts it for a metric that is known to score against the searched one alone.
    of = KindTau("", 0.8, 0.6, 0.9, "strong", 0.8, -0.1, 0.1, False)
    by_b = [replace(of, metric=name) for name in against]
    for by, same in (({"B": by_b}, high), ({"B": by_b, "C": [replace(by_b[0], grade="moderate")]}, low)):
        assert [(row.grade, row.lowered) for row in capped(rows, board, by)] == [same, *capped_rows[1:]]
