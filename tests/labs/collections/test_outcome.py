"""`cb.pool` against the command line: the same rows from the same runs."""

from pathlib import Path

import pandas as pd
import pytest

import clirbench as cb
from clirbench.__main__ import main


def test_pooled_outcomes_are_what_the_command_line_pools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [cb.run(name) for name in ("europarl_csen_published", "europarl_deen_published")]
    pooled = cb.pool(runs)
    folders = [run.save(tmp_path / str(run.results["name"])) for run in runs]
    monkeypatch.setattr("sys.argv", ["clirbench", "pool", *map(str, folders), "--out", str(tmp_path / "out")])
    with pytest.raises(SystemExit, match="0"):
        main()
    saved = pooled.save(tmp_path / "saved")
    for name in ("pooled.tsv", "pooled_collections.tsv"):
        assert (saved / name).read_bytes() == (tmp_path / "out" / name).read_bytes()
    written = pd.read_csv(saved / "pooled.tsv", sep="\t")
    assert len(written) == len(pooled.table) > 0
    assert list(written.columns) == list(pooled.table.columns)
    assert set(pooled.overview.collections) == {2}
    assert "<table" in pooled._repr_html_()


def test_the_same_collection_twice_is_refused() -> None:
    run = cb.run("europarl_csen_published")
    with pytest.raises(cb.ClirbenchError, match="twice|same collection"):
        cb.pool([run, run])
