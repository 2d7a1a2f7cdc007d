"""The notebooks run in an empty folder, and show what their pages show."""

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("notebooks", ROOT / "docs" / "generator" / "notebooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [NOTEBOOKS[0], *(pytest.param(path, marks=pytest.mark.release) for path in NOTEBOOKS[1:])],
    ids=lambda p: p.stem,
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_notebook_runs_and_shows_what_its_page_shows(
    generator: ModuleType, monkeypatch: pytest.MonkeyPatch, path: Path
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (made,) = generator.executed([path])
    kept = json.loads(path.read_text(encoding="utf-8"))
    again = f"{path.name}: run {sys.executable} docs/generator/notebooks.py"
    assert generator.said(made) == generator.said(kept), again


def test_every_notebook_has_a_picture_and_its_text(generator: ModuleType) -> None:
    pages = generator.pages()
    for path in NOTEBOOKS:
        page = pages[f"notebooks/{path.stem}.md"]
        assert page.startswith(f"# {generator.title(path)}\n")
        assert pages[f"notebooks/{path.stem}-1.png"].startswith(b"\x89PNG")
        assert f"({path.stem}-1.png)" in page
        assert "Traceback" not in page
        assert path.stat().st_size < 100_000
