"""Two runs compared from Python are compared as on the command line."""

from pathlib import Path

import clirbench as cb
from tests.conftest import Cli


def test_the_same_differences_as_on_the_command_line(published: cb.Outcome, cli: Cli) -> None:
    other = cb.run("europarl_csen_published", correlation__p_value="exact", scores__ignore=["MicroF1"])
    found = cb.compare(published, other)
    folders = [run.save(cli.cwd / name) for name, run in (("a", published), ("b", other))]
    assert cb.compare(*folders).table.equals(found.table)
    done = cli("compare", "a", "b", "--rows", "10000", "--html", "theirs.html")
    assert found.verdict in done.stdout
    assert len(found.table) == sum(line.count("\t") >= 3 for line in done.stdout.splitlines()) - done.stdout.count("#")
    assert set(found.table.columns) == {"part", "what", "first", "second", "difference", "unequal"}
    assert ("scores", "all MicroF1") in set(zip(found.table.part, found.table.what, strict=True))
    page = found.write_html(cli.cwd / "ours.html")
    assert "MicroF1" in page.read_text()
    assert "numbers differ" in found._repr_html_()


def test_a_run_is_equal_to_itself(texts: cb.Outcome, tmp_path: Path) -> None:
    found = cb.compare(texts, texts.save(tmp_path / "run"))
    assert found.verdict.startswith("All ")
    assert found.table.empty
