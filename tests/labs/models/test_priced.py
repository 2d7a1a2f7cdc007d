"""The frontier of cost and quality: what is on it, and what a run of engines writes."""

from math import isnan, nan
from pathlib import Path

import pytest

from clirbench.files.tables import read_table
from clirbench.labs.models.priced import Priced, plot, with_frontier
from clirbench.report.drawing import svg
from tests.conftest import Cli


def priced(system: str, cost: float, value: float) -> Priced:
    kind = "none" if system == "no translation" else "rules"
    return Priced(system, "bm25", kind, cost, "RR", value, value / 0.8)


ROWS = [
    priced("dear", 90, 0.6), priced("best", 80, 0.6), priced("poor", 30, 0.1), priced("server", nan, 0.7),
    priced("twin", 80, 0.6), priced("cheap", 10, 0.4), priced("no translation", 0, 0.2),
]  # fmt: skip


def test_the_frontier_is_what_nothing_else_beats() -> None:
    """By hand: best and twin are equal, so both; dear costs more than they for the same; poor costs more than cheap."""
    rows = with_frontier(ROWS)
    assert [row.system for row in rows] == ["no translation", "cheap", "poor", "best", "twin", "dear", "server"]
    assert [row.system for row in rows if row.on_frontier == "true"] == ["no translation", "cheap", "best", "twin"]


def test_the_plot_has_a_mark_for_each_row_with_a_cost() -> None:
    drawing = plot(with_frontier(ROWS))
    assert len(drawing.marks) == 6
    assert {"0.1", "1", "10", "100"} <= {label.text for label in drawing.labels}
    assert svg(drawing, "t") == svg(plot(with_frontier(ROWS)), "t")


def test_a_run_of_engines_keeps_what_they_cost(small_texts: Path, tmp_path: Path, cli: Cli) -> None:
    keys = [f"folder={small_texts}", "systems=command", "+systems.commands.words='tr e a'", "topics.n=10"]
    keys += ["+systems.commands.letters={chain: [rev, 'tr q-z a-j']}", "measures=[RBO]", "metric=[BLEU]"]
    keys += [f"paths.cache={tmp_path / 'cache'}", "untranslated=true", "engine=serial"]
    for name in ("first", "again"):
        done = cli(*keys, f"hydra.run.dir={tmp_path / name}")
        assert done.returncode == 0, done.stderr
    assert "What does retrieval quality cost?\nOn the frontier is an engine " in done.stdout
    rows = {row["system"]: row for row in read_table(tmp_path / "first" / "frontier.tsv").records()}
    assert {name: row["kind"] for name, row in rows.items()} == {
        "no translation": "none", "words": "command", "letters": "chain",
    }  # fmt: skip
    assert all(float(rows[name]["seconds_per_million_words"]) > 0 for name in ("words", "letters"))
    # A time is never the same twice: no table of the answer holds one, or a killed run would have other bytes.
    assert "seconds_per_million_words" not in read_table(tmp_path / "first" / "systems.tsv").header
    for name in ("systems.tsv", "frontier.tsv", "figures/frontier.svg"):
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "again" / name).read_bytes()


def test_a_run_of_files_has_no_cost(small_texts: Path, tmp_path: Path, cli: Cli) -> None:
    keys = (f"folder={small_texts}", "topics.n=10", "metric=[BLEU]", "measures=[MAP]", "untranslated=true")
    done = cli(*keys, f"paths.cache={tmp_path / 'cache'}", f"hydra.run.dir={tmp_path / 'out'}")
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "out" / "frontier.tsv").exists()


@pytest.mark.parametrize("value", [nan, 0.0])
def test_nothing_measured_is_no_frontier(value: float) -> None:
    (row,) = with_frontier([priced("one", value, 0.5)])
    assert row.beaten is isnan(value)
