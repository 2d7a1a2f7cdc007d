"""The page of reproductions says what its table says; a run that was changed does not enter; all runs come again."""

from dataclasses import replace
from pathlib import Path

import pytest

from docs.generator import reproductions
from tests.conftest import SHARED, Cli


def test_the_page_is_that_of_the_table() -> None:
    rows = reproductions.rows()
    assert len(rows) >= 20
    assert {row.verdict for row in rows.values()} <= {"OK", "OKish"}
    assert reproductions.PAGE.read_text(encoding="utf-8") == reproductions.page(rows)


@pytest.mark.slow
def test_a_run_enters_after_it_was_verified(cli: Cli) -> None:
    """Three rows by hand: a tau that is as before, near and another; a sealed file that was changed enters none."""
    run = cli.cwd / "run"
    assert cli("+experiment=demo", f"hydra.run.dir={run}").returncode == 0
    kept: dict[str, reproductions.Row] = {}
    assert reproductions.enter([run], kept, None) == []
    (first,) = kept.values()
    assert first.verdict == "first"
    for gap, verdict in ((0.0, "OK"), (0.004, "OKish"), (0.006, "FAIL")):
        before = {first.command: replace(first, expected=f"{float(first.seen) + gap:.4f}")}
        assert reproductions.row_of(run, before, None).verdict == verdict
    (run / "systems.tsv").write_text("system\n", encoding="utf-8")
    left: dict[str, reproductions.Row] = {}
    assert reproductions.enter([run], left, None)[0].startswith(f"{run}: these tables do not follow: systems.tsv")
    assert left == {}


@pytest.mark.release
@pytest.mark.timeout(7200)
def test_every_run_comes_again(tmp_path: Path) -> None:
    if not SHARED.is_dir():
        pytest.skip(f"REAL DATA ABSENT: no data in {SHARED}, no run is made again")
    kept = reproductions.rows()
    runs = reproductions.made_again(dict(kept), SHARED, tmp_path)
    assert reproductions.enter(runs, again := dict(kept), SHARED) == []
    assert {command: (row.seen, row.verdict) for command, row in again.items()} == {
        command: (row.seen, row.verdict) for command, row in kept.items()
    }
