"""sweep.html, the page of several conditions, as people meet it."""

from dataclasses import replace
from pathlib import Path

import pytest

from clirbench.report.compared import combine
from tests.browser.conftest import Browser, on_every_screen
from tests.report.test_sweep import SIX, condition

pytestmark = pytest.mark.slow


@on_every_screen
def test_six_conditions(browser: Browser, tmp_path: Path, width: int, dark: bool) -> None:
    (tmp_path / "0").mkdir()
    (tmp_path / "0" / "report.html").touch()
    combine(tmp_path, [replace(SIX[0], folder=tmp_path / "0"), *SIX[1:]])
    browser.open(tmp_path / "sweep.html", width, dark)
    assert len(browser.all("table.tau tbody tr")) == 6
    assert browser.find("th a").get_attribute("href").endswith("/0/report.html")
    assert browser.hover(browser.find("table.tau .cell")).startswith("BLEU with MAP: .900")
    assert browser.texts("#answer p")[-1].startswith("Bold: the highest of its condition.")
    browser.fits()


def test_long_settings_leave_room_for_values_on_a_phone(browser: Browser, tmp_path: Path) -> None:
    long = [condition(f"relevance.k={k} retrieval.k1={k1}", BLEU=0.5, TER=0.1) for k in (1, 3) for k1 in (0.9, 1.2)]
    combine(tmp_path, long)
    browser.open(tmp_path / "sweep.html", width=400)
    seen = browser.run("return [...document.querySelectorAll('tbody .cell')].map(c => c.getBoundingClientRect().right)")
    assert max(seen) <= 400
