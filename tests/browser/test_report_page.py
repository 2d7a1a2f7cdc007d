"""report.html as people meet it: in a browser, wide and narrow, light and dark, with pointer and keyboard."""

from pathlib import Path

import pytest

from clirbench.corpora.demo import DemoCorpus
from clirbench.systems.demo import DemoSystems
from tests.browser.conftest import Browser
from tests.report.boards import EVIL
from tests.report.typeset import typeset

pytestmark = pytest.mark.slow
LARGE = pytest.param("large_page", marks=pytest.mark.release)
PAGES = ["demo_page", LARGE, "evil_page"]


@pytest.fixture
def page(request: pytest.FixtureRequest) -> Path:
    found = request.getfixturevalue(request.param)
    assert isinstance(found, Path)
    return found


def unfold(browser: Browser) -> None:
    """Every fold open, every table whole."""
    browser.run("document.querySelectorAll('details').forEach(d => d.open = true)")
    browser.run("document.querySelectorAll('.tools .all').forEach(b => b.click())")


def everything_open(browser: Browser) -> None:
    unfold(browser)
    browser.run("document.querySelector('[data-topic]')?.click()")


@pytest.mark.parametrize("page", PAGES, indirect=True)
def test_it_opens_without_an_error_and_stays_small(browser: Browser, page: Path) -> None:
    browser.open(page)
    everything_open(browser)
    assert browser.errors() == []
    assert browser.all("#plot svg .point")
    assert page.stat().st_size < 3_000_000


@pytest.mark.parametrize("page", PAGES, indirect=True)
def test_a_phone_never_scrolls_sideways(browser: Browser, page: Path) -> None:
    browser.open(page, width=390)
    everything_open(browser)
    assert browser.run("return innerWidth") == 390
    assert browser.run("return document.documentElement.scrollWidth") <= 390
    # Nothing is cut off either: what is wider than the page lies in a region that scrolls by itself.
    wide = browser.run(
        "return [...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > 391"
        " && !e.closest('.scroll') && e.getBoundingClientRect().width > 0).map(e => e.outerHTML.slice(0, 80))"
    )
    assert wide == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("page", PAGES, indirect=True)
def test_contrast_and_structure_pass_axe(browser: Browser, page: Path, dark: bool) -> None:
    browser.open(page, dark=dark)
    everything_open(browser)
    assert browser.violations() == []


@pytest.mark.parametrize("page", PAGES, indirect=True)
def test_tables_sort_both_ways(browser: Browser, page: Path) -> None:
    browser.open(page)
    unfold(browser)
    heads = browser.texts("#table-systems thead th")
    column = len(heads) - 1
    button = browser.all("#table-systems thead button")[column]
    orders = []
    for direction in ("descending", "ascending"):
        browser.run("arguments[0].click()", button)
        head = browser.all("#table-systems thead th")[column]
        assert head.get_attribute("aria-sort") == direction
        shown = browser.texts(f"#table-systems tbody td:nth-child({column + 1})")
        orders.append([float(text) for text in shown])
    assert orders[0] == sorted(orders[0], reverse=True)
    assert orders[1] == orders[0][::-1]
    assert len(browser.all("#table-systems thead [aria-sort]")) == 1


def test_a_filter_leaves_the_rows_that_match(browser: Browser, demo_page: Path) -> None:
    browser.open(demo_page)
    unfold(browser)
    box = browser.find("[data-filter='table-systems']")
    box.send_keys("GRAM but-")
    assert browser.texts("#table-systems tbody th") == []
    box.clear()
    box.send_keys("grammar-2")
    assert browser.texts("#table-systems tbody th") == ["grammar-2"]
    assert browser.texts("[data-count='table-systems']") == ["1 of 16 rows"]


def test_hovering_says_what_a_cell_and_a_point_are(browser: Browser, demo_page: Path) -> None:
    browser.open(demo_page)
    unfold(browser)
    said = browser.hover(browser.find(".tau td .cell[data-measure='MAP'][data-metric='BLEU']"))
    assert said.startswith("BLEU with MAP: .268")
    assert "16 systems, not significant" in said
    point = browser.find("#plot .point")
    lines = browser.hover(point).split("\n")
    assert lines[0] in browser.texts("#table-systems tbody th")
    assert lines[1].startswith("MacroF1 ")


def test_pressing_a_cell_shows_its_plot_and_choosing_works(browser: Browser, demo_page: Path) -> None:
    browser.open(demo_page)
    cell = browser.find(".tau td .cell[data-measure='RBO'][data-metric='chrF2']")
    browser.run("arguments[0].click()", cell)
    assert browser.run("return [document.getElementById('plot-metric').value, plot.firstChild.ariaLabel]") == [
        "chrF2",
        "RBO against chrF2, 16 systems",
    ]
    assert len(browser.all("#plot .ellipse")) == 16
    browser.run("document.getElementById('plot-ellipses').click()")
    assert browser.all("#plot .ellipse") == []
    browser.run("document.querySelector('#multiples button').click()")
    assert browser.run("return plot.firstChild.ariaLabel") == "RBO against BLEU, 16 systems"
    assert browser.texts("#legend li") == list(
        dict.fromkeys(t.metadata["family"] for t in DemoSystems().translations(DemoCorpus().read()))
    )


def test_the_keyboard_reaches_cells_and_points(browser: Browser, demo_page: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    browser.open(demo_page)
    first = browser.find(".tau .cell")
    first.send_keys(Keys.ARROW_RIGHT)
    active = browser.driver.switch_to.active_element
    assert active.get_attribute("data-metric") == "chrF1"
    assert browser.find("#tip").text.startswith("chrF1 with MAP")
    active.send_keys(Keys.ESCAPE)
    assert not browser.find("#tip").is_displayed()
    plot = browser.find("#plot svg")
    plot.send_keys(Keys.ARROW_RIGHT)
    assert len(browser.all("#plot .point.on")) == 1
    assert "MacroF1" in plot.get_attribute("aria-label")


@pytest.mark.parametrize("page", ["demo_page", LARGE], indirect=True)
def test_a_topic_opens_with_its_systems_terms_and_documents(browser: Browser, page: Path) -> None:
    browser.open(page)
    unfold(browser)
    means = [float(text) for text in browser.texts("#table-topics tbody td:nth-child(3)")]
    assert means == sorted(means)  # the topics that lose most stand first
    button = browser.find("#table-topics [data-topic]")
    name = button.text
    browser.run("arguments[0].click()", button)
    assert browser.texts("#topic h3") == [f"Topic {name}"]
    systems = browser.texts("#table-systems tbody th")
    assert len(browser.all("#topic rect.point")) == len(systems)
    assert browser.texts("#topic .sides h4")[0] == "Reference side"
    assert 1 <= len(browser.all("#topic .sides > div:first-child li")) <= 10
    assert browser.hover(browser.find("#topic rect.point")).split("\n")[0] in systems
    box = browser.find("#topic-filter")
    box.send_keys("no topic has these words")
    assert browser.texts("#table-topics tbody th") == []
    assert browser.errors() == []


def test_names_show_as_text_and_nothing_runs(browser: Browser, evil_page: Path) -> None:
    browser.open(evil_page)
    unfold(browser)
    assert browser.run("return document.scripts.length") == 2
    assert browser.run("return document.images.length") == 0
    assert f"{EVIL} 0" in browser.texts("#table-systems tbody th")
    assert browser.hover(browser.find("#plot .point")).split("\n")[0].startswith(EVIL)
    assert EVIL in browser.run("return [...document.getElementById('plot-metric').options].map(o => o.text)")
    assert "{{7*7}} 3" in browser.texts("#table-systems tbody th")
    assert browser.errors() == []  # an alert would have stopped the driver, a blocked script would be an error


def test_checkpoints_have_curves_for_each_run(browser: Browser, evil_page: Path) -> None:
    browser.open(evil_page)
    unfold(browser)
    assert len(browser.all("#curves polyline.draw")) == 4  # two runs, metric and measure
    said = browser.hover(browser.find("#curves .point"))
    assert "\nstep " in said


def test_the_command_is_copied_or_selected(browser: Browser, demo_page: Path) -> None:
    browser.open(demo_page)
    unfold(browser)
    browser.run("arguments[0].click()", browser.find("#copy"))
    browser.driver.execute_async_script("setTimeout(arguments[0], 200)")
    assert browser.texts("#copied")[0].startswith(("Copied", "Selected"))
    assert browser.texts("#command")[0].startswith("python -m clirbench")
    assert browser.errors() == []


def test_printing_opens_what_is_folded(browser: Browser, demo_page: Path) -> None:
    browser.open(demo_page)
    browser.run("dispatchEvent(new Event('beforeprint'))")
    assert browser.run("return [...document.querySelectorAll('details')].every(d => d.open)")


@pytest.mark.parametrize("page", PAGES, indirect=True)
def test_what_is_folded_leaves_a_short_page(browser: Browser, page: Path) -> None:
    """The answer, the decision, the agreement and one plot; a link unfolds what it leads to, below the sticky bar."""
    browser.open(page)
    assert browser.run("return document.documentElement.scrollHeight") < 8000
    assert not browser.run("return [...document.querySelectorAll('main details')].some(d => d.open)")
    browser.run("document.querySelector('nav a[href=\"#provenance\"]').click()")
    browser.driver.execute_async_script("setTimeout(arguments[0], 900)")
    assert browser.run("return document.querySelector('#provenance > details').open")
    bar, title = browser.run(
        "return ['nav', '#provenance-title'].map(s => document.querySelector(s).getBoundingClientRect())"
    )
    assert title["top"] >= bar["bottom"] - 1


def test_a_link_restores_the_plot(browser: Browser, demo_page: Path) -> None:
    browser.open(demo_page)
    browser.run("document.getElementById('plot-names').click()")
    browser.run(
        "const box = document.getElementById('plot-metric'); box.value = 'BLEU'; box.dispatchEvent(new Event('change'))"
    )
    link = browser.run("return document.getElementById('plot-link').getAttribute('href')")
    browser.open(demo_page)
    assert not browser.run("return document.getElementById('plot-names').checked")
    browser.run("location.hash = arguments[0]", link)
    browser.driver.execute_async_script("setTimeout(arguments[0], 200)")
    assert browser.run("return plot.firstChild.ariaLabel").endswith("against BLEU, 16 systems")
    assert browser.run("return document.getElementById('plot-names').checked")
    browser.run("location.hash = '#plots?metric=NONE&measure=%3Cscript%3E'")
    browser.driver.execute_async_script("setTimeout(arguments[0], 200)")
    assert browser.run("return plot.firstChild.ariaLabel").endswith("against BLEU, 16 systems")


@pytest.mark.release
def test_a_long_table_is_paged_until_somebody_wants_it_whole(browser: Browser, large_page: Path) -> None:
    browser.open(large_page)
    browser.run("document.querySelector('#systems > details').open = true")
    shown = "return [...document.querySelectorAll('#table-systems tbody tr')].filter(r => r.offsetHeight).length"
    assert browser.run(shown) == 25
    browser.run("document.querySelector('#systems .all').click()")
    assert browser.run(shown) == 38


@pytest.mark.release
@pytest.mark.parametrize("page", PAGES, indirect=True)
def test_what_is_copied_as_latex_is_typeset(browser: Browser, page: Path, tmp_path: Path) -> None:
    browser.open(page)
    browser.run("window.written = []; navigator.clipboard.writeText = async (text) => { written.push(text); }")
    browser.run(
        "document.querySelectorAll('.tools button').forEach(b => b.textContent === 'Copy as LaTeX' && b.click())"
    )
    written = browser.run("return written")
    assert len(written) == browser.run("return document.querySelectorAll('table.sortable:not(#table-topics)').length")
    assert typeset(written, tmp_path) >= len(written)


def test_a_table_is_copied_as_latex_and_its_headers_say_what_they_are(browser: Browser, demo_page: Path) -> None:
    browser.open(demo_page)
    browser.run("navigator.clipboard.writeText = (text) => { window.written = text; return Promise.resolve(); }")
    browser.run(
        "[...document.querySelectorAll('#tau .tools button')].find(b => b.textContent === 'Copy as LaTeX').click()"
    )
    written = browser.run("return window.written")
    assert written.splitlines()[1:3] == [r"\begin{tabular}{lrrrrr}", r"\toprule"]
    assert r"MAP[qrels] & .339 x & .589 x & .536 x & \textbf{.804} & .536 x \\" in written
    head = browser.find("#table-tau-kendall-0 thead th:nth-child(2)")
    assert browser.hover(head).startswith("nrefs:1|BLEU|case:mixed")


@pytest.mark.slow
def test_learning_curves_have_a_legend_a_mean_and_say_where_each_column_stops(
    browser: Browser, evil_page: Path
) -> None:
    for width in (1280, 400):
        for dark in (False, True):
            browser.open(evil_page, width, dark)
            unfold(browser)
            assert len(browser.all("#curves polyline.draw")) == 4, "two runs, metric and measure"
            assert len(browser.all("#curves .mean")) == len(browser.all("#curves .band")) == 2
            assert len(browser.texts("#curve-legend li")) == 3
            stops = browser.texts("#stops li")
            assert len(stops) == 4
            assert all("(step " in text for text in stops)
            assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
            assert browser.errors() == []
