"""The map of other scorings has the numbers of its rows."""

from dataclasses import replace

import pytest

from clirbench.report.scorings import scoring_tables, shown_sentence
from clirbench.report.tables import run_tables
from clirbench.result import Result
from clirbench.statistics.scorings import ScoringTau
from tests.test_experiment import experiment, held, run


@pytest.fixture(scope="module")
def result() -> Result:
    return run(experiment(held()))


def test_map_and_rows_have_the_same_numbers(result: Result) -> None:
    found = {name: table.load() for name, table in run_tables(result).items()}
    rows, wide = found["scorings"], found["scorings_map"].set_index("scoring")
    assert list(rows.columns) == ["scoring", "metric", "tau", "shown", "half"]
    assert len(rows) == wide.size == 18
    for row in rows.itertuples():
        assert wide.loc[row.scoring, row.metric] == pytest.approx(row.tau, rel=0, abs=0, nan_ok=True)


def test_how_often_a_metric_is_shown() -> None:
    rows = [ScoringTau(f"s{i}", "BLEU", 0.5, i < 3, i in (0, 5)) for i in range(6)]
    assert shown_sentence("BLEU", [*rows, ScoringTau("s9", "chrF1", 0.5, True)]) == (
        "BLEU: shown in 2 of 4 other scorings, and on 1 of 2 halves of the topics."
    )


def test_score_tables_have_none(result: Result) -> None:
    assert scoring_tables(replace(result, retrieval={})) == []
