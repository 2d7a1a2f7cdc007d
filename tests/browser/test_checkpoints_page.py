"""report.html of 66 checkpoints (3 seeds x 22 steps, rising, then falling), met by somebody who has to ship one."""

import random
import re
from pathlib import Path

import pytest

from clirbench.corpora.manifest import FOLDER
from tests.browser.conftest import Browser, on_every_screen
from tests.conftest import Cli, write_lines

pytestmark = pytest.mark.slow
PEAK, STEPS, SEEDS = 15, 22, 3


@pytest.fixture(scope="module")
def checkpoints_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """English of the demo, in which a checkpoint exchanges the fewest words at step 15,000."""
    folder = tmp_path_factory.mktemp("checkpoints")
    lines = (FOLDER / "reference.txt").read_text(encoding="utf-8").split("\n")[:240]
    words = sorted({word for line in lines for word in line.split()})
    (folder / "data").mkdir()
    write_lines(folder / "data" / "reference.txt", lines)
    for seed in range(1, SEEDS + 1):
        (folder / f"seed{seed}").mkdir()
        for step in range(1, STEPS + 1):
            chosen = random.Random(100 * seed + step)
            wrong = 0.08 + 0.5 * max(0, 1 - step / PEAK) + 0.02 * max(0, step - PEAK)
            texts = (" ".join(chosen.choice(words) if chosen.random() < wrong else w for w in s.split()) for s in lines)
            write_lines(folder / f"seed{seed}" / f"ckpt_{step}000.txt", list(texts))
    keys = [
        "documents.size=4",
        "topics.n=30",
        "relevance.k=3",
        "metric=[BLEU,chrF2]",
        "measures=[RBO,nDCG]",
        "primary=RBO",
    ]
    pattern = "systems.pattern='seed%seed%/ckpt_%step%.txt'"
    done = Cli(folder)("folder=data", "systems=checkpoints", pattern, *keys, "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    return folder / "out" / "report.html"


def test_the_decision_and_the_curves_name_one_checkpoint_near_the_peak(
    browser: Browser, checkpoints_page: Path
) -> None:
    browser.open(checkpoints_page)
    browser.everything_open()
    told = re.match(r"By RBO, clirbench recommends (seed\d-step(\d+))[:;]", browser.texts("#decision p")[0])
    assert told
    assert abs(int(told[2]) / 1000 - PEAK) <= 2
    texts = browser.texts("#checkpoints .canvas text")
    assert texts.count(f"recommended: {told[1]}") == texts.count("mean over runs, with one standard deviation") == 4
    assert len([text for text in texts if text.startswith("best: step ")]) == 4
    assert len(browser.all("#checkpoints .mark[data-tip]")) == 4 * SEEDS * STEPS
    assert len(browser.texts("#analysis-decision tbody tr")) == SEEDS * STEPS


@on_every_screen
def test_it_fits_and_passes_axe(browser: Browser, checkpoints_page: Path, width: int, dark: bool) -> None:
    browser.open(checkpoints_page, width, dark)
    assert browser.run("return document.documentElement.scrollHeight") < 8000
    browser.everything_open()
    browser.fits()
