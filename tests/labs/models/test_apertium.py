"""Apertium: what is missing is named with its package, and help pages are translated through kills without loss."""

import shutil
import subprocess
from pathlib import Path

import pytest

from clirbench.errors import ResourceError
from clirbench.labs.models.program import Program, _about
from clirbench.labs.models.systems import apertium
from tests.labs.models.made_up import listed, make, texts
from tests.systems.sides import folder_corpus


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
