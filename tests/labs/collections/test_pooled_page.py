"""pooled.html as people meet it: in a browser, wide and narrow, light and dark."""

from pathlib import Path

import pytest

from clirbench.labs.collections.commands.pool import main
from tests.browser.conftest import Browser, browser
from tests.labs.collections.commands.test_pool import run

pytestmark = pytest.mark.slow
__all__ = ["browser"]


@pytest.fixture(scope="module")
def pooled_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pooled")
    runs = [str(run(folder / f"a_collection_with_a_rather_long_name_{i}", i)) for i in range(6)]
    assert main([*runs, "--out", str(folder / "out")]) == 0
    return folder / "out" / "pooled.html"


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_it_shows_every_plot_and_a_phone_never_scrolls_sideways(
    browser: Browser, pooled_page: Path, dark: bool
) -> None:
    browser.open(pooled_page, width=400, dark=dark)
    browser.everything_open()
    assert len(browser.all(".canvas svg")) == 3
    assert browser.texts("main h2")[:1] == ["MAP (pseudo-relevance, bm25)"]
    assert browser.run("return document.documentElement.scrollWidth") <= 400
    wide = browser.run(
        "return [...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > 401"
        " && !e.closest('.scroll, svg') && e.getBoundingClientRect().width > 0).map(e => e.outerHTML.slice(0, 80))"
    )
    assert wide == []
    # A narrow cell with many names would make every row as tall as a screen.
    assert max(browser.run("return [...document.querySelectorAll('main tbody tr')].map(r => r.offsetHeight)")) < 100
    assert browser.errors() == []
    assert browser.violations() == []
