"""report.html as people meet it: in a browser, wide and narrow, light and dark, with pointer and keyboard."""

from pathlib import Path

import pytest

from clirbench.corpora.manifest import DemoCorpus
from clirbench.report.compared import combine
from clirbench.systems.files import DemoSystems
from tests.browser.conftest import Browser, on_every_screen
from tests.report.boards import EVIL
from tests.report.test_sweep import six

pytestmark = pytest.mark.slow
PAGES = ["demo_page", pytest.param("large_page", marks=pytest.mark.release), "evil_page"]


@pytest.fixture
def page(request: pytest.FixtureRequest) -> Path:
    found = request.getfixturevalue(request.param)
    assert isinstance(found, Path)
    return found


def chosen(browser: Browser, **values: str) -> list[str]:
    """Choose a metric, a measure or a colour; what of the plots is shown then."""
    for name, value in values.items():
        browser.run(
            "const box = document.querySelector(`[data-choice=${arguments[0]}]`); box.value = arguments[1];"
            "box.dispatchEvent(new Event('change', {bubbles: true}))",
            name,
            value,
        )
    return list(
        browser.run("return [...document.querySelectorAll('.choice figure:not([hidden]) svg')].map(s => s.ariaLabel)")
    )


@on_every_screen
@pytest.mark.parametrize("page", PAGES, indirect=True)
def test_it_is_short_small_and_fits_every_screen(browser: Browser, page: Path, width: int, dark: bool) -> None:
    """The answer, the decision, the agreement and one plot; unfolded, nothing is wider than the screen."""
    browser.open(page, width, dark)
    assert page.stat().st_size < 2_000_000
    assert browser.run("return document.documentElement.scrollHeight") < 8000
    assert not browser.run("return [...document.querySelectorAll('main details')].some(d => d.open)")
    browser.everything_open()
    assert browser.all(".choice figure:not([hidden]) .mark")
    browser.fits()
    # Nothing is cut off either: what is wider than the page lies in a region that scrolls by itself.
    assert not browser.run(
        "return [...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1"
        " && !e.closest('.scroll, svg') && e.getBoundingClientRect().width > 0).map(e => e.outerHTML.slice(0, 80))"
    )


@pytest.mark.parametrize("page", PAGES, indirect=True)
def test_a_link_unfolds_what_it_leads_to_below_the_sticky_bar(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.run("location.hash = 'provenance'")
    browser.driver.execute_async_script("setTimeout(arguments[0], 300)")
    assert browser.run("return document.querySelector('#provenance > details').open")
    bar, title = browser.run(
        "return ['nav', '#provenance-title'].map(s => document.querySelector(s).getBoundingClientRect())"
    )
    assert title["top"] >= bar["bottom"] - 1


@pytest.mark.parametrize("page", PAGES, indirect=True)
def test_tables_sort_both_ways(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.everything_open()
    column = len(browser.texts("#systems thead th")) - 1
    orders = []
    for direction in ("descending", "ascending"):
        browser.run("arguments[0].click()", browser.all("#systems thead button")[column])
        assert browser.all("#systems thead th")[column].get_attribute("aria-sort") == direction
        orders.append([float(text) for text in browser.texts(f"#systems tbody td:nth-child({column + 1})")])
    assert orders[0] == sorted(orders[0], reverse=True)
    assert orders[1] == orders[0][::-1]
    assert len(browser.all("#systems thead [aria-sort]")) == 1
    browser.run("arguments[0].click()", browser.all("#systems thead button")[0])
    names = browser.texts("#systems tbody th")
    assert names[0] == min(names, key=str.casefold) or EVIL in names[0]


def test_holes_sort_last_marks_and_thousands_are_no_text(browser: Browser, tmp_path: Path) -> None:
    cells = [".950", "-.320 x", "undefined", "1,234,567", "12", ".5", "–"]
    rows = "".join(f"<tr><td>{cell}</td></tr>" for cell in cells)
    script = (Path(__file__).parents[2] / "clirbench/report/html/page.js").read_text(encoding="utf-8")
    head = '<th class="number"><button class="sort">n</button></th>'
    (tmp_path / "page.html").write_text(
        f'<meta charset="utf-8"><div id="tip"></div><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
        f"<script>{script}</script>",
        encoding="utf-8",
    )
    browser.open(tmp_path / "page.html")
    browser.run("document.querySelector('.sort').click()")
    assert browser.texts("td")[:5] == ["1,234,567", "12", ".950", ".5", "-.320 x"]


def test_hovering_says_what_a_cell_a_column_and_a_point_are(browser: Browser, demo_page: Path) -> None:
    browser.open(demo_page)
    browser.everything_open()
    said = browser.hover(browser.find(".tau td .cell[data-measure='MAP'][data-metric='BLEU']"))
    assert said.startswith("BLEU with MAP: .268")
    assert "16 systems, not significant" in said
    assert browser.hover(browser.find("#tau-kendall thead th:nth-child(2)")).startswith("nrefs:1|BLEU|case:mixed")
    lines = browser.hover(browser.find(".choice figure:not([hidden]) .mark circle")).split("\n")
    assert lines[0] in browser.texts("#systems tbody th")
    assert lines[1].startswith("MacroF1 ")


def test_metric_measure_colour_ellipses_and_names_are_chosen(browser: Browser, demo_page: Path) -> None:
    browser.open(demo_page)
    assert chosen(browser) == ["MAP[qrels] against MacroF1"]
    cell = browser.find(".tau td .cell[data-measure='RBO'][data-metric='chrF2']")
    browser.run("arguments[0].click()", cell)
    assert chosen(browser) == ["RBO against chrF2"]
    assert "chosen" in cell.get_attribute("class")
    assert len(chosen(browser, metric="")) == 5, "all metrics at once"
    assert chosen(browser, metric="BLEU", measure="MAP") == ["MAP against BLEU"]
    figure = "document.querySelector('.choice figure:not([hidden])')"
    shown = f"return [...{figure}.querySelectorAll(arguments[0])].filter(e => e.getBoundingClientRect().width).length"
    for kind, selector, before in (("ellipses", "ellipse", 16), ("names", ".mark text", 0)):
        assert browser.run(shown, selector) == before
        browser.run("document.querySelector(`[data-choice=${arguments[0]}]`).click()", kind)
        assert browser.run(shown, selector) == 16 - before
    families = list(dict.fromkeys(t.metadata["family"] for t in DemoSystems().translations(DemoCorpus().read())))
    assert browser.texts(".legend li") == families
    looks = f"return [...{figure}.querySelectorAll('.mark')].map(m => m.getAttribute('fill') + m.children[1].tagName)"
    assert len(set(browser.run(looks))) == len(families)
    chosen(browser, colour="")
    assert set(browser.run(looks)) == {"#0072B2circle"}
    assert browser.texts(".legend li") == []
    link = browser.run("return document.getElementById('plot-link').getAttribute('href')")
    named = "return document.querySelector('[data-choice=names]').checked"
    browser.open(demo_page)
    assert not browser.run(named)
    for hashed in (link, "#plots?metric=NONE&measure=%3Cscript%3E"):
        browser.run("location.hash = arguments[0]", hashed)
        browser.driver.execute_async_script("setTimeout(arguments[0], 200)")
        assert chosen(browser) == ["MAP against BLEU"]
        assert browser.run(named)


def test_the_keyboard_reaches_cells_and_points(browser: Browser, demo_page: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    browser.open(demo_page)
    browser.find(".tau .cell").send_keys(Keys.ARROW_RIGHT)
    active = browser.driver.switch_to.active_element
    assert active.get_attribute("data-metric") == "chrF1"
    assert browser.find("#tip").text.startswith("chrF1 with MAP")
    active.send_keys(Keys.ARROW_DOWN)
    active = browser.driver.switch_to.active_element
    assert (active.get_attribute("data-metric"), active.get_attribute("data-measure")) == ("chrF1", "RBO")
    active.send_keys(Keys.ESCAPE)
    assert not browser.find("#tip").is_displayed()
    active.send_keys(Keys.ENTER)
    assert chosen(browser) == ["RBO against chrF1"]
    plot = browser.find(".choice figure:not([hidden]) svg")
    plot.send_keys(Keys.ARROW_RIGHT)
    assert len(browser.all(".mark.on")) == 1
    assert "chrF1" in plot.get_attribute("aria-label")
    before = plot.get_attribute("aria-label")
    plot.send_keys(Keys.ARROW_LEFT)
    assert plot.get_attribute("aria-label") != before


def test_names_show_as_text_and_nothing_runs(browser: Browser, evil_page: Path) -> None:
    browser.open(evil_page)
    browser.everything_open()
    assert browser.run("return [document.scripts.length, document.images.length]") == [1, 0]
    assert {f"{EVIL} 0", "{{7*7}} 3"} <= set(browser.texts("#systems tbody th"))
    assert browser.hover(browser.find(".choice figure:not([hidden]) .mark")).split("\n")[0].startswith(EVIL)
    assert EVIL in browser.run("return [...document.querySelector('[data-choice=metric]').options].map(o => o.text)")
    curves = browser.all("#checkpoints .canvas svg")
    texts = [[text.text for text in svg.find_elements("css selector", "text")] for svg in curves]
    assert len(curves) == 4
    assert all(any(text.startswith("best: step ") for text in own) for own in texts)
    assert all("mean over runs, with one standard deviation" in own for own in texts)
    assert "\nstep " in browser.hover(browser.find("#checkpoints .mark[data-tip]"))
    assert browser.errors() == []  # an alert would have stopped the driver, a blocked script would be an error


@on_every_screen
def test_six_conditions(browser: Browser, tmp_path: Path, width: int, dark: bool) -> None:
    combine(tmp_path, six(tmp_path))
    browser.open(tmp_path / "sweep.html", width, dark)
    assert [len(browser.all(f"#part-{name} tbody tr")) for name in ("answers", "sweep")] == [6, 12]
    assert browser.find("th a").get_attribute("href").endswith("/0/report.html")
    browser.fits()
