"""Results: values of topics in the order of the board, records of tables, systems against a baseline."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from clirbench.engines.local import Serial
from clirbench.errors import UnknownName
from clirbench.measures.parsing import parse
from clirbench.pages import Table
from clirbench.result import Experiment, Result, Retrieval, with_marks
from clirbench.scoreboard import Column, Scoreboard
from clirbench.types import Failure, Judged, Qrels, Run
from tests.report.boards import board

NOTHING = Run.of({})
JUDGED = Judged(Qrels({"1": {"d": 1}, "2": {"d": 0}, "3": {"d": 2}}), NOTHING)


def retrieval() -> Retrieval:
    """Runs of b and a, in that order; MAP leaves out topic 2, which has no relevant document."""
    per_topic = {("", "MAP"): np.array([[0.1, 0.3], [0.2, 0.6]]), ("", "RBO"): np.array([[1.0, 2, 3], [4, 5, 6]])}
    return Retrieval(NOTHING, {"": JUDGED}, {}, {"b": NOTHING, "a": NOTHING}, per_topic, {"c": Failure("unreadable")})


def test_the_topics_of_a_measure_are_those_that_it_scores() -> None:
    assert retrieval().topics("", "MAP") == ("1", "3")
    assert retrieval().topics("", "RBO") == ("1", "2", "3")


def test_marks_name_collection_topics_and_judgments() -> None:
    assert (with_marks("MAP"), with_marks("MAP", "", "")) == ("MAP", "MAP")
    assert with_marks("MAP", "news", "", "qrels") == "MAP[news,qrels]"


def result() -> Result:
    """Systems a, c and b; c could not be searched."""
    measures = (parse("MAP"), parse("RBO"))
    columns = (
        Column("BLEU", "metric", np.array([3.0, 2, 1])),
        Column("MAP", "measure", np.array([0.4, np.nan, 0.2])),
        Column("RBO", "measure", np.array([5.0, np.nan, 2])),
    )
    experiment = Experiment("by hand", Serial(), measures=measures)
    return Result(experiment, Scoreboard(("a", "c", "b"), columns), (), retrieval={"": retrieval()})


def test_per_topic_values_stand_in_the_order_of_the_board() -> None:
    evidence = result().evidence
    hole = [np.nan, np.nan]
    assert np.array_equal(evidence.per_topic["MAP"], [[0.2, 0.6], hole, [0.1, 0.3]], equal_nan=True)
    assert evidence.measures["MAP"] == parse("MAP")
    assert evidence.per_topic["RBO"].shape == (3, 3)


@dataclass(frozen=True)
class Cost:
    system: str
    loss: float | None


def test_a_table_has_a_column_for_each_field_and_keeps_its_records() -> None:
    table = Table.of("costs", "Costs", Cost, iter([Cost("a", 0.5), Cost("b", None)]), ["dear"])
    assert (table.header, table.rows, table.text) == (("system", "loss"), (("a", 0.5), ("b", "")), ("dear",))
    held = replace(result(), tables=(table, Table("other", "Other", ("x",), ((1,),))))
    assert held.rows(Cost) == (Cost("a", 0.5), Cost("b", None))
    assert held.rows(Failure) == ()
    assert Table.of("none", "None", Cost, [], header=["s", "l"]).header == ("s", "l")


def test_a_baseline_that_is_no_system_is_an_error_and_without_one_nothing_is_worse() -> None:
    made = Result(Experiment("by hand", Serial()), board({"BLEU": [1, 2, 3]}, {"MAP": [0.1, 0.2, 0.3]}), ())
    assert (made.against_baseline, made.worse) == ({}, False)
    with pytest.raises(UnknownName, match="unknown system 's9'"):
        _ = replace(made, experiment=replace(made.experiment, baseline="s9")).against_baseline


def test_the_worst_baseline_has_none_that_is_worse_and_the_best_has_all() -> None:
    """20 topics on which s3 is about .2 above s2 and that as much above s1."""
    values = np.array([[0.2], [0.4], [0.6]]) + np.random.default_rng(0).uniform(-0.05, 0.05, size=(3, 20))
    per_topic = {("", "MAP"): values}
    qrels = Qrels({str(topic): {"d": 1} for topic in range(20)})
    runs = {"b1": NOTHING, "c2": NOTHING, "d3": NOTHING}
    found = Retrieval(NOTHING, {"": Judged(qrels, NOTHING)}, {}, runs, per_topic)
    made = board({"BLEU": [1, 2, 3]}, {"MAP": values.mean(axis=1).tolist()})
    experiment = Experiment("by hand", Serial(), measures=(parse("MAP"),))
    for baseline, worse in (("b1", False), ("c2", False), ("d3", True)):
        held = Result(replace(experiment, baseline=baseline), made, (), retrieval={"": found})
        assert held.worse is worse, baseline
        assert held.against_baseline.keys() == {"b1", "c2", "d3"} - {baseline}
