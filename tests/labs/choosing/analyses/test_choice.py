"""`analysis=[choice]`: what is chosen and lost, in words; early stopping where systems carry steps."""

from clirbench.labs.choosing.analyses.choice import ChoiceAnalysis
from tests.labs.choosing.statistics.test_training import checkpoints
from tests.report.analysed import result_of, text_of
from tests.statistics.worlds import scores_only


def test_what_each_metric_would_choose_and_lose() -> None:
    evidence = scores_only([[10, 30, 20, 5]], [[0.3, 0.2, 0.4, 0.5]])
    text = text_of(ChoiceAnalysis(), evidence)
    assert "y0: on these topics the best system is d03 (.500); chosen and lost: x0 b01 (.300)." in text
    assert "population" not in text
    names = [table.name for table in ChoiceAnalysis().tables(result_of(evidence))]
    assert names == ["choice", "improvement"]


def test_checkpoints_have_early_stopping_too() -> None:
    along = checkpoints(["1", "2", "3", "4"], x=[1, 3, 2, 2])
    tables = ChoiceAnalysis().tables(result_of(along))
    assert [table.name for table in tables] == ["choice", "improvement", "early_stopping"]
    assert "y lost when training stops at patience 1, mean of 1 run(s): x 2.000." in tables[-1].text
