"""The terminals that the documentation shows are what the program prints today."""

import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["terminal-demo", "terminal-check"])
def test_a_recording_is_what_is_printed(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS / "generator"))
    monkeypatch.delitem(sys.modules, "recordings", raising=False)
    from recordings import recorded  # type: ignore[import-not-found]

    kept = (DOCS / "pictures" / f"{name}.svg").read_text(encoding="utf-8")
    assert recorded(name, tmp_path) == kept, "python docs/generator/pictures.py makes the pictures anew"
    assert len(kept) < 60_000
    assert not [e for e in ElementTree.fromstring(kept).iter() if e.tag.endswith(("image", "script", "use"))]
