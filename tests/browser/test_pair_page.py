"""pair.html as people meet it: two outputs side by side, filtered, in scripts that run both ways."""

from pathlib import Path

import pytest

from tests.browser.conftest import Browser, on_every_screen
from tests.conftest import Cli, write_lines
from tests.lines import made_lines

pytestmark = pytest.mark.slow
HEBREW, ARABIC = "הדגים שוחים בים הקר של הצפון", "الأسماك تسبح في البحر البارد في الشمال"


@pytest.fixture(scope="module")
def pair_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of each two lines `left` lost the last word of one, and `right` the first two of the other."""
    folder = tmp_path_factory.mktemp("pair")
    lines = [*made_lines(12, 1, width=6), *made_lines(12, 2, width=18), *made_lines(6, 3, width=30), HEBREW, ARABIC]
    words = [line.split(" ") for line in lines]
    (folder / "data" / "systems").mkdir(parents=True)
    write_lines(folder / "data" / "reference.txt", lines)
    outputs = {
        "left": [" ".join(line[:-1] if i % 2 else line) for i, line in enumerate(words)],
        "right": [" ".join(line if i % 2 else line[2:]) for i, line in enumerate(words)],
    }
    for name, output in outputs.items():
        write_lines(folder / "data" / "systems" / f"{name}.txt", output)
    keys = [
        "metric=[chrF2,BLEU]",
        "measures=[RBO]",
        "topics.n=10",
        "relevance.k=3",
        "keep_copies=true",
        "hydra.run.dir=out",
    ]
    done = Cli(folder)("folder=data", "pair=[left,right]", "analysis=[favoritism]", *keys)
    assert done.returncode == 0, done.stderr
    return folder / "out" / "pair.html"


def test_segments_are_filtered_and_sorted_and_influence_is_folded(browser: Browser, pair_page: Path) -> None:
    browser.open(pair_page)
    assert browser.texts("main h2") == ["chrF2", "chrF2: corpus influence", "BLEU", "BLEU: corpus influence"]
    assert [d.get_attribute("open") for d in browser.all("details")] == [None, None]
    whole = len(browser.texts("#metric-1 tbody tr"))
    browser.find("#metric-1 [data-filter]").send_keys("right lost")
    kept = browser.texts("#metric-1 tbody tr")
    assert 0 < len(kept) < whole
    assert all("right" in text and "lost" in text for text in kept)
    browser.run("document.querySelectorAll('#influence-1 .sort')[3].click()")
    browser.everything_open()
    lengths = [int(text) for text in browser.texts("#influence-1 tbody td:nth-child(4)")]
    assert lengths == sorted(lengths, reverse=True)


def test_text_runs_in_its_own_direction(browser: Browser, pair_page: Path) -> None:
    browser.open(pair_page)
    directions = browser.run(
        "return [...document.querySelectorAll('td:nth-last-child(-n+3)')]"
        ".map(p => [/[\\u0590-\\u06ff]/.test(p.textContent), getComputedStyle(p).direction])"
    )
    assert {tuple(one) for one in directions} == {(True, "rtl"), (False, "ltr")}


@on_every_screen
def test_it_fits_and_passes_axe(browser: Browser, pair_page: Path, width: int, dark: bool) -> None:
    browser.open(pair_page, width, dark)
    browser.everything_open()
    browser.fits()
