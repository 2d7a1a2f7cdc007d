import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from clirbench.pages.table import Table
from clirbench.report.html.report import Live, ordered, write
from tests.report.boards import EVIL, board, result

PROVENANCE = {"clirbench": "1", "made": "today", "python": "3", "seed": 0, "command": ["python", "a b", EVIL]}


class Outline(HTMLParser):
    """Elements in order, ids, and whether every element that opens is closed."""

    VOID = frozenset({"meta", "link", "input", "br", "hr", "img"})

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.opened.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.opened.pop() == tag


def outline(page: str) -> Outline:
    parser = Outline()
    parser.feed(page)
    assert parser.opened == []
    return parser


@pytest.fixture
def page(tmp_path: Path) -> str:
    made = board(
        {"BLEU": [1, 2, 3, 4], EVIL: [1, 2, 3, float("nan")]},
        {"MAP": [1, 2, 4, 3]},
        {EVIL: ["x", "x", EVIL, "y"]},
        systems=["a", "b", EVIL, "</script><img src=x onerror=alert(1)>"],
    )
    table = Table("power", EVIL, (EVIL, "n"), ((EVIL, 1),), (EVIL,))
    write(tmp_path, result(made, [table], notes=[EVIL]), PROVENANCE)
    return (tmp_path / "report.html").read_text(encoding="utf-8")


def test_names_are_text_everywhere(page: str) -> None:
    assert EVIL not in page
    assert "onerror=alert(1)>" not in page
    found = outline(page).found
    assert [attributes.get("type") for tag, attributes in found if tag == "script"] == ["application/json", None]
    assert not [tag for tag, _ in found if tag == "img"]
    payload = re.search(r'id="payload">(.*?)</script>', page, re.DOTALL)
    assert payload is not None
    assert EVIL in json.loads(payload[1])["systems"]


def test_structure_is_one_that_screen_readers_use(page: str) -> None:
    found = outline(page).found
    ids = [attributes["id"] for _, attributes in found if "id" in attributes]
    assert len(ids) == len(set(ids))
    tags = [tag for tag, _ in found]
    assert tags.count("main") == tags.count("h1") == 1
    assert tags.count("table") == tags.count("caption")
    assert all("scope" in attributes for tag, attributes in found if tag == "th")
    labelled = {attributes["for"] for tag, attributes in found if tag == "label"}
    assert {attributes.get("id") for tag, attributes in found if tag in ("input", "select")} <= labelled


def test_nothing_is_fetched(page: str) -> None:
    loaded = [a.get("src") or a.get("href") for t, a in outline(page).found if t in ("script", "link", "img", "iframe")]
    assert set(loaded) == {None, "data:,"}


def test_the_command_is_quoted_so_that_it_can_be_pasted(page: str) -> None:
    assert "python &#39;a b&#39; &#39;&lt;script&gt;alert(1)&lt;/script&gt;&#39;" in page


def test_analyses_stand_in_reading_order() -> None:
    tables = [Table(name, name, (), ()) for name in ("types", "power", "differences", "favoritism", "choice")]
    assert [table.name for table in ordered(tables)] == ["differences", "choice", "power", "types"]


def test_a_run_without_metrics_or_measures_has_a_report_too(tmp_path: Path) -> None:
    write(tmp_path, result(board({}, {"MAP": [1, 2]})), PROVENANCE)
    outline((tmp_path / "report.html").read_text(encoding="utf-8"))


@pytest.mark.parametrize("live", [None, Live(30, ("Go on.",), "RBO")])
def test_the_page_of_a_watch_begins_with_the_curve_of_its_measure(tmp_path: Path, live: Live | None) -> None:
    made = board({"BLEU": [1, 2, 3, 4]}, {"MAP": [1, 2, 4, 3], "RBO": [1, 2, 3, 4]}, {"step": ["1", "2", "3", "4"]})
    write(tmp_path, result(made, []), PROVENANCE, live)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    ids = [str(attributes["id"]) for _, attributes in outline(page).found if "id" in attributes]
    assert len(ids) == len(set(ids))
    main = ids[ids.index("main") + 1 :]
    figure = ["curve-metric", "curve-measure", "curves", "curve-legend"]
    if live is None:
        assert main.index("answer") < main.index("checkpoints") < main.index("curves")
        assert "selected" not in page[: page.index("payload")]
    else:
        assert main[:7] == ["live", "live-title", "checkpoints", *figure]
        assert page.index('id="curves"') < page.index('<p class="answer">Go on.</p>') < page.index('id="answer"')
        assert "<option selected>RBO</option>" in page
