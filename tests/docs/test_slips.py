"""What a new user types wrongly (slips.yaml) ends in one line that names the cure."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Cli
from tests.docs import materials
from tests.docs.pages import ROOT, pages
from tests.docs.writing import phrases, prose, texts

SLIPS: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("slips.yaml").read_text(encoding="utf-8"))
FOREIGN = (
    "Traceback", "hydra.errors", "omegaconf", "OmegaConf", "HYDRA_FULL_ERROR", "Key '", "full_key", "LexerNoViable",
)  # fmt: skip
"""Words of Python, Hydra and OmegaConf."""


@pytest.fixture(scope="module")
def at_work(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    folder = tmp_path_factory.mktemp("slips")
    materials.talks(folder)
    materials.scores(folder)
    (folder / "my talks").mkdir()
    shutil.copytree(folder / "talks", folder / "talks-b")
    for path in [*(folder / "talks-b" / "systems").iterdir()]:
        path.rename(path.with_name(f"b-{path.name}"))
    materials.write(folder / "wmt25" / "wmt25-genmt.jsonl", [])
    (folder / "talks.qrels").write_text("fisheries 0 fisheries-01 1\n", encoding="utf-8")
    (folder / "unpadded.qrels").write_text("fisheries-01 0 fisheries-1 1\n", encoding="utf-8")
    for name in ("talks-header", "talks-cut"):
        shutil.copytree(folder / "talks", folder / name)
    header, cut = folder / "talks-header/systems/short-2.txt", folder / "talks-cut/systems/garbled-2.txt.gz"
    header.write_bytes(b"translation\n" + header.read_bytes())
    cut.write_bytes(cut.read_bytes()[:2000])
    done = Cli(folder)(
        "folder=talks", "measures=[MAP]", "metric=[BLEU,chrF2]", "hydra.run.dir=run", "output.figures=[]"
    )
    assert done.returncode == 0, done.stderr
    return Cli(folder)


def test_sixty_slips_of_which_two_thirds_name_the_text_to_type() -> None:
    assert len({one["slip"] for one in SLIPS}) == len(SLIPS) >= 60
    assert 3 * len([one for one in SLIPS if "type" in one]) >= 2 * len(SLIPS)


@pytest.mark.slow
@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: slip["slip"])
def test_a_slip_ends_in_one_line_that_names_the_cure(slip: Mapping[str, Any], at_work: Cli) -> None:
    done = at_work(*slip["slip"].split(" "))
    assert done.returncode == slip.get("status", 1), done.stdout + done.stderr
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1, done.stderr
    assert (slip.get("type") or slip["says"]) in done.stderr
    assert not [word for word in FOREIGN if word in done.stderr]
    assert not [*at_work.cwd.glob("runs/[!.]*")]  # nothing began


PAGES = {str(path.relative_to(ROOT)): path for path in pages()}
SOURCES = {str(path.relative_to(ROOT)): path for path in sorted((ROOT / "clirbench").rglob("*.py"))}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_in_plain_words(name: str) -> None:
    assert [f"{name}:{line}: {phrase}" for line, phrase in phrases(prose(read(PAGES[name])))] == []


def test_the_source_is_in_plain_words() -> None:
    held = ((name, start, text) for name in SOURCES for start, text in texts(read(SOURCES[name])))
    assert [
        f"{name}:{start + line - 1}: {phrase}" for name, start, text in held for line, phrase in phrases(text)
    ] == []


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")
