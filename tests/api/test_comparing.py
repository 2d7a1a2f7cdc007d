"""Two runs compared from Python are compared as on the command line."""

from pathlib import Path

import pytest

import clirbench as cb
from clirbench.commands.compare import main


def test_the_same_differences_as_on_the_command_line(
    published: cb.Outcome, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = cb.run("europarl_csen_published", correlation__p_value="exact", scores__ignore=["MicroF1"])
    found = cb.compare(published, other)
    folders = [run.save(tmp_path / name) for name, run in (("a", published), ("b", other))]
    assert cb.compare(*folders).table.equals(found.table)
    capsys.readouterr()
    main([*map(str, folders), "--rows", "10000", "--html", str(tmp_path / "theirs.html")])
    said = capsys.readouterr().out
    assert found.verdict in said
    assert len(found.table) == sum(line.count("\t") == 4 for line in said.splitlines()) - 1
    assert set(found.table.columns) == {"part", "what", "first", "second", "difference", "unequal"}
    assert ("signatures", "MicroF1") in set(zip(found.table.part, found.table.what, strict=True))
    page = found.write_html(tmp_path / "ours.html")
    assert "MicroF1" in page.read_text()
    assert "numbers differ" in found._repr_html_()
