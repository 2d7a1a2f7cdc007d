"""A headless Chromium, and the pages it opens. Without a browser these tests are skipped, loudly.

Needed: Debian's `chromium` and `chromium-driver`, the package selenium, and for the accessibility checks the file
`axe.min.js` of the npm package axe-core, whose path stands in the environment variable AXE_CORE.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clirbench.pages import Table
from clirbench.report.html.page import write_page
from clirbench.report.html.report import run_page
from tests.conftest import Cli
from tests.report.boards import EVIL, board, result

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
    "--window-size=1200,900",
)  # fmt: skip
PROVENANCE = {"clirbench": "1", "made": "today", "python": "3", "seed": 0, "command": ["python", "-m", "clirbench"]}


def on_every_screen(test: Any) -> Any:
    """The test with `width` and `dark`: wide and narrow, light and dark."""
    dark = pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
    return pytest.mark.parametrize("width", [1280, 400])(dark(test))


class Browser:
    """What the tests ask of a page."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, page: Path, width: int = 1200, dark: bool = False) -> None:
        """Open a file at a width, light or dark; what an earlier page said is forgotten."""
        self.driver.get_log("browser")
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})
        self.driver.get(page.as_uri())

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def find(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def all(self, selector: str) -> list[Any]:
        return list(self.driver.find_elements("css selector", selector))

    def texts(self, selector: str) -> list[str]:
        """The text of every element that is shown."""
        found = self.run(
            "return [...document.querySelectorAll(arguments[0])].filter(e => e.offsetParent !== null)"
            ".map(e => e.textContent.trim())",
            selector,
        )
        return [str(text) for text in found]

    def hover(self, element: Any) -> str:
        """Move the pointer there; what the page says about it."""
        from selenium.webdriver.common.action_chains import ActionChains

        self.run("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element)
        self.settled()
        ActionChains(self.driver).move_to_element(element).perform()
        return str(self.find("#tip").text)

    def settled(self) -> None:
        """Wait until the page has come to rest: scrolling away from what is hovered hides what is said about it."""
        self.driver.execute_async_script(
            "const done = arguments[0]; let last = NaN, still = 0;"
            "const look = () => { still = scrollY === last ? still + 1 : 0; last = scrollY;"
            " still > 5 ? done() : requestAnimationFrame(look); }; look();"
        )

    def everything_open(self) -> None:
        self.run("document.querySelectorAll('details').forEach(d => d.open = true)")

    def fits(self) -> None:
        """The page as it is has no error, needs no scrolling sideways, and passes axe."""
        assert self.errors() == []
        assert self.run("return document.documentElement.scrollWidth <= innerWidth")
        assert self.violations() == []

    def errors(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def violations(self) -> list[str]:
        """What axe-core finds against WCAG 2 A and AA on the page as it is."""
        source = os.environ.get("AXE_CORE")
        if not source:
            pytest.skip("AXE_CORE is not set: contrast and accessibility are NOT checked")
        self.run(Path(source).read_text(encoding="utf-8"))
        found = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            "axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice']})"
            ".then(r => done({violations: r.violations, passes: r.passes.map(p => p.id)}))"
            ".catch(e => done({violations: [{id: String(e), nodes: []}], passes: []}))"
        )
        assert "color-contrast" in found["passes"] or found["violations"], "contrast was not checked"
        return [
            f"{rule['id']}: {node['target']} {node.get('failureSummary', '')}"
            for rule in found["violations"]
            for node in rule["nodes"] or [{"target": "page"}]
        ]


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for all tests, with a new empty profile."""
    pytest.importorskip("selenium", reason="selenium is not installed: the report is NOT opened in a browser")
    chromium, chromedriver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or chromedriver is None:
        pytest.skip("chromium or chromedriver is not installed: the report is NOT opened in a browser")
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in FLAGS:
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('profile')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(chromedriver))
    try:
        yield Browser(driver)
    finally:
        driver.quit()


@pytest.fixture(scope="session")
def demo_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the embedded run, made as a user makes it."""
    return _run(tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="session")
def large_page(tmp_path_factory: pytest.TempPathFactory, shared_data: Path) -> Path:
    """The report of a run over 38 real systems."""
    folder = shared_data / "vocab-sweep" / "de-en" / "newstest2018"
    return _run(
        tmp_path_factory.mktemp("large"), "+experiment=folder", f"folder={folder}", "relevance.k=10", "topics.n=60"
    )


def _run(cwd: Path, *arguments: str) -> Path:
    Cli(cwd).succeed(*arguments, "hydra.run.dir=out")
    return cwd / "out" / "report.html"


@pytest.fixture(scope="session")
def evil_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report whose every name is an attack, over checkpoints of two runs."""
    rng = np.random.default_rng(3)
    n = 12
    breakers = [EVIL, "</script><script>alert(2)</script>", '"><img src=x onerror=alert(3)>', "{{7*7}}", "a&amp;b"]
    systems = [f"{breakers[i % len(breakers)]} {i}" for i in range(n)]
    values = {EVIL: rng.random(n), "TER": rng.random(n)}
    made = board(
        {name: list(map(float, column)) for name, column in values.items()},
        {f"MAP[{EVIL}]": list(map(float, rng.random(n))), "P@10": list(map(float, rng.random(n)))},
        {"step": [str(1000 * (i % 6)) for i in range(n)], EVIL: [breakers[i // 6] for i in range(n)]},
        systems,
    )
    table = Table("power", EVIL, (EVIL, "n"), tuple((name, i) for i, name in enumerate(systems)), (EVIL,))
    folder = tmp_path_factory.mktemp("evil")
    write_page(folder / "report.html", run_page(result(made, [table], [EVIL]), PROVENANCE))
    return folder / "report.html"
