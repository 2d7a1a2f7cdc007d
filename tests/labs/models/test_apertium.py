"""Apertium: what is missing is named with its package, and help pages are translated through kills without loss."""

import gzip
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from clirbench.errors import ResourceError
from clirbench.files.tables import read_table
from clirbench.labs.models.program import Program, _about
from clirbench.labs.models.systems import apertium
from tests.labs.models.made_up import listed, make, texts
from tests.systems.sides import folder_corpus
from tests.waiting import wait_until

HELP = Path(__file__).parents[4] / "shared" / "data" / "libreoffice-help" / "es"
PAGES, SHARD = 200, 100


def installed(*pairs: str) -> bool:
    if shutil.which("apertium") is None:
        return False
    listed = subprocess.run(("apertium", "-l"), capture_output=True, text=True, check=False).stdout.split()
    return {*pairs} <= {*listed}


def checked(pair: str, model: Path | None = None) -> Program:
    program = apertium(pair=pair).program
    program.check(model)
    return program


@pytest.mark.parametrize("wrong", ["", "spa", "spa-eng -f line", "../spa-eng"])
def test_a_pair_is_two_languages(wrong: str) -> None:
    with pytest.raises(ResourceError, match="is no pair of languages"):
        checked(wrong)


def test_apertium_that_is_not_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    _about.cache_clear()
    with pytest.raises(ResourceError, match="no such program; with Debian: apt-get install apertium"):
        checked("spa-eng")
    _about.cache_clear()


@pytest.mark.slow
def test_apertium_translates_and_says_what_is_missing(tmp_path: Path) -> None:
    """English, full stops, no marks at names; a blank line stays one."""
    if not installed("isl-eng", "spa-eng"):
        pytest.skip("APERTIUM ABSENT: apt-get install apertium apertium-isl-eng apertium-eng-spa")
    lines = ("Hundurinn er stór.", "", "Hvar er húsið?", "Kötturinn Snorri sefur.", "Já.")
    found, _ = make(
        listed(folder_corpus(tmp_path / "d", source=lines), tmp_path / "cache", a=apertium(pair="isl-eng").program)
    )
    assert (texts(found)["a"] or ())[:4] == ("The dog is big.", "", "Where is the house?", "The cat Snorri sleeps.")
    with pytest.raises(ResourceError, match=r"pair es-en is not installed .*installed: .*spa-eng"):
        checked("es-en")
    (tmp_path / "modes").mkdir()
    (tmp_path / "modes" / "xx-yy.mode").write_text("lt-proc '/no/such/file.bin'\n")
    with pytest.raises(ResourceError, match="xx-yy is installed without file.bin"):
        checked("xx-yy", tmp_path)


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """A mirror with the first 200 help pages, and the titles of these."""
    folder = tmp_path / "mirror" / "libreoffice-help" / "es"
    folder.mkdir(parents=True)
    docs = gzip.decompress((HELP / "docs.tsv.gz").read_bytes()).decode().split("\n")[:-1]
    kept = list(dict.fromkeys(row.split("\t")[1] for row in docs[1:]))[:PAGES]
    rows = [row for row in docs[1:] if row.split("\t")[1] in kept]
    (folder / "docs.tsv").write_text("\n".join([docs[0], *rows]) + "\n", encoding="utf-8")
    for name in ("source", "reference"):
        lines = gzip.decompress((HELP / f"{name}.txt.gz").read_bytes()).decode().split("\n")[: len(rows)]
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    judged = [row for row in (HELP / "qrels.txt").read_text().splitlines() if row.split()[2] in kept]
    (folder / "qrels.txt").write_text("\n".join(judged) + "\n")
    wanted = {row.split()[0] for row in judged}
    titles = (HELP / "topics.jsonl").read_text(encoding="utf-8").splitlines()
    chosen = [title for title in titles if any(f'"{topic}"' in title for topic in wanted)]
    (folder / "topics.jsonl").write_text("\n".join(chosen) + "\n", encoding="utf-8")
    return tmp_path / "mirror"


@pytest.mark.slow
def test_help_pages_are_translated_through_kills(pages: Path, tmp_path: Path) -> None:
    """Runs end by SIGTERM, by SIGKILL, well; the last one has the tables of a run that nobody stopped."""
    if not installed("spa-eng", "spa-cat", "cat-eng"):
        pytest.skip("APERTIUM ABSENT: apt-get install apertium apertium-eng-spa apertium-spa-cat apertium-eng-cat")

    def kept(cache: str) -> dict[Path, int]:
        return {path: path.stat().st_mtime_ns for path in (tmp_path / cache / "translations").rglob("*.txt")}

    def begun(run: str, cache: str, *more: str) -> "subprocess.Popen[str]":
        arguments = ("+experiment=help_esen_live", f"paths.mirror={pages}", f"systems.shard_lines={SHARD}",
                     f"paths.cache={tmp_path / cache}", f"hydra.run.dir={tmp_path / run}", *more)  # fmt: skip
        return subprocess.Popen(
            (sys.executable, "-m", "clirbench", *arguments), text=True, cwd=tmp_path,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip

    for number, after in ((signal.SIGTERM, 3), (signal.SIGKILL, 7)):
        process = begun("killed", "cache")
        wait_until(lambda: len(kept("cache")) >= after, unless=lambda: process.poll() is not None)  # noqa: B023
        before = kept("cache")
        process.send_signal(number)
        process.communicate()
        assert process.returncode != 0
        assert not (tmp_path / "killed" / "results.json").exists()
    silent = "[sh, -c, 'cat >/dev/null; echo no dictionary >&2']"
    broken = f"+systems.commands.broken={{chain: [{{apertium: spa-cat}}, {silent}]}}"
    for run, cache in (("run", "cache"), ("whole", "elsewhere")):
        process = begun(run, cache, broken)
        told = process.communicate()[0]
        assert process.returncode == 2, told  # the broken one is a named hole
        assert "broken: not translated: apertium | command sh: " in told
        assert "0 lines came back" in told
        assert "stderr ends: no dictionary" in told
    assert before.items() <= kept("cache").items()  # nothing that came back is translated again
    assert {p.name: p.read_bytes() for p in kept("cache")} == {p.name: p.read_bytes() for p in kept("elsewhere")}
    for name in ("systems.tsv", "correlations.tsv"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    rows = {row["system"]: row for row in read_table(tmp_path / "run" / "systems.tsv").records()}
    assert not rows["broken"]["RR"]
    priced = {row["system"]: row for row in read_table(tmp_path / "run" / "frontier.tsv").records()}
    assert all(float(priced[name]["seconds_per_million_words"]) > 0 for name in ("direct", "via-cat", "dictionary"))
    assert float(rows["no translation"]["RR"]) < float(rows["via-cat"]["RR"]) < float(rows["reference side"]["RR"])
