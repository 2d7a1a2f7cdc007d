"""pair.html as people meet it: two outputs side by side, filtered, in scripts that run both ways."""

from pathlib import Path

import pytest

from tests.browser.conftest import Browser
from tests.browser.test_report_page import unfold
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


def choose(browser: Browser, box: str, value: str) -> list[dict[str, str]]:
    """What of the segments is shown after a choice: the data of each."""
    browser.run(
        "const box = document.getElementById(arguments[0]); box.value = arguments[1];"
        "box.dispatchEvent(new Event('change', {bubbles: true}))",
        box,
        value,
    )
    found = browser.run("return [...document.querySelectorAll('.segment:not([hidden])')].map(s => ({...s.dataset}))")
    whole = len(browser.all(".segment"))
    assert browser.find("#segments-shown").text == f"{len(found)} of {whole} shown"
    return [dict(one) for one in found]


def test_segments_are_filtered_by_winner_length_and_lost_words(browser: Browser, pair_page: Path) -> None:
    browser.open(pair_page)
    unfold(browser)
    everything = choose(browser, "by-winner", "")
    left = choose(browser, "by-winner", "a")
    assert 0 < len(left) < len(everything)
    assert {one["side"] for one in left} == {"a"}
    assert {one["side"] for one in choose(browser, "by-winner", "b")} == {"b"}
    choose(browser, "by-winner", "")
    for box, least, most in (("0-10", 0, 10), ("11-25", 11, 25), ("26-9999999", 26, 30)):
        lengths = [int(one["words"]) for one in choose(browser, "by-length", box)]
        assert lengths
        assert all(least <= length <= most for length in lengths)
    choose(browser, "by-length", "")
    assert all("b" in one["lost"] for one in choose(browser, "by-terms", "b"))
    both = choose(browser, "by-winner", "a")
    assert both
    assert all("b" in one["lost"] and one["side"] == "a" for one in both), "filters hold together"


def test_the_winner_by_sentences_stands_first_and_influence_is_folded(browser: Browser, pair_page: Path) -> None:
    browser.open(pair_page)
    assert browser.texts("main h2") == ["chrF2", "BLEU"]
    assert "better" in browser.texts("#metric-1 .segment .kicker")[0]
    assert browser.texts("#metric-1 summary") == ["Corpus influence (leave-one-out): the largest deltas"]
    assert not browser.find("#metric-1 details").get_attribute("open")


def test_text_runs_in_its_own_direction(browser: Browser, pair_page: Path) -> None:
    browser.open(pair_page)
    directions = browser.run(
        "return [...document.querySelectorAll('.segment p[dir]')]"
        ".map(p => [/[\\u0590-\\u06ff]/.test(p.textContent), getComputedStyle(p).direction])"
    )
    assert {tuple(one) for one in directions} == {(True, "rtl"), (False, "ltr")}


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_it_fits_and_passes_axe(browser: Browser, pair_page: Path, width: int, dark: bool) -> None:
    browser.open(pair_page, width, dark)
    unfold(browser)
    assert browser.errors() == []
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
    assert browser.violations() == []
