"""Help pages with their titles as queries: what the reference side reaches is what the data say."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clirbench.files.tables import read_table

DATA = Path(__file__).parents[4] / "shared" / "data" / "libreoffice-help"


BEST = {"es": ("nmt", 0.81), "fr": ("nmt", 0.74), "pt": ("nmt", 0.89), "ca": ("nmt", 0.77), "gl": ("nmt", 0.78),
        "eu": ("direct", 0.52)}  # fmt: skip
"""The best engine of each language, and the share of English retrieval that it reaches, as measured before."""
ENGLISH = {"es": 0.658, "fr": 0.666, "pt": 0.643, "ca": 0.653, "gl": 0.631, "eu": 0.667}
"""Reciprocal rank of the reference side, as the README of the data has it."""


@pytest.mark.release
@pytest.mark.timeout(900)
def test_every_language_reaches_what_was_measured_and_all_are_one_collection(
    cli: Callable[..., Any], tmp_path: Path
) -> None:
    """RR within .002 of the README, shares of it to the percent, and pages and titles that count once."""
    if not DATA.is_dir():
        pytest.skip("the help pages are not here: ../shared/data/libreoffice-help")
    for code, (best, share) in BEST.items():
        quick = ("metric=[BLEU]", "measures=[RR]", "output.figures=[]", "output.runs=none", "untranslated=true")
        done = cli(f"+experiment=help_{code}en", f"paths.mirror={DATA.parent}", f"hydra.run.dir={code}", *quick)
        assert done.returncode == 0, done.stderr
        rows = {row["system"]: row for row in read_table(tmp_path / code / "systems.tsv").records()}
        english = float(rows.pop("reference side")["RR"])
        reached = {name: float(row["RR"]) for name, row in rows.items()}
        assert english == pytest.approx(ENGLISH[code], abs=0.002)
        assert max(reached, key=lambda name: reached[name]) == best
        assert reached[best] / english == pytest.approx(share, abs=0.005)
    done = cli("pool", *BEST)
    assert done.returncode == 1
    assert "nothing to pool: " in done.stderr
    assert "count as one collection, because they share relevance judgments" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "rr", "recall"), [("es", 0.658, 0.879), pytest.param("eu", 0.667, 0.891, marks=pytest.mark.release)]
)
def test_the_english_side_as_a_system(
    cli: Callable[..., Any], tmp_path: Path, code: str, rr: float, recall: float
) -> None:
    """Reciprocal rank and recall at 10 of BM25 on the reference side, as the README of the data has them."""
    if not DATA.is_dir():
        pytest.skip("the help pages are not here: ../shared/data/libreoffice-help")
    folder = tmp_path / "help"
    (folder / "systems").mkdir(parents=True)
    for path in (DATA / code).iterdir():
        if path.is_file() and path.name != "systems.tsv":
            shutil.copyfile(path, folder / path.name)
    for name in ("direct", "direct-drop3", "direct-known"):
        shutil.copyfile(DATA / code / "systems" / f"{name}.txt.gz", folder / "systems" / f"{name}.txt.gz")
    shutil.copyfile(DATA / code / "reference.txt.gz", folder / "systems" / "english.txt.gz")
    done = cli(f"+experiment=help_{code}en", f"folder={folder}", "units=none", "keep_copies=true", "paths.mirror=x",
               "hydra.run.dir=out", "engine=serial")  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = {row["system"]: row for row in read_table(tmp_path / "out" / "systems.tsv").records()}
    assert float(rows["english"]["RR"]) == pytest.approx(rr, abs=0.002)
    assert float(rows["english"]["R@10"]) == pytest.approx(recall, abs=0.002)
    # leaving out every third word costs most of BLEU and little of retrieval; leaving out unknown words the reverse
    bleu = {name: float(row["BLEU"]) for name, row in rows.items() if row["BLEU"]}  # baselines have none
    found = {name: float(row["RR"]) for name, row in rows.items()}
    assert bleu["direct-drop3"] < bleu["direct-known"] < bleu["direct"]
    assert found["direct-known"] < found["direct-drop3"] < found["direct"]
