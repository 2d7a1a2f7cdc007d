"""Pages as files: what is in them, that names are text everywhere, and that nothing is fetched."""

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from clirbench.pages import Table
from clirbench.report.html import page as plots
from clirbench.report.html.page import rows_of, write_page
from clirbench.report.html.report import Live, run_page, tau_tables
from clirbench.result import Result
from clirbench.statistics.correlation import Correlation
from clirbench.statistics.kinds import Kinds, KindTau
from clirbench.topics.base import BY_REFERENCE
from tests.report.boards import EVIL, board, result

NAN = float("nan")
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


def outline(page: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = Outline()
    parser.feed(page)
    assert parser.opened == []
    return parser.found


def written(folder: Path, made: Result, live: Live | None = None) -> str:
    write_page(folder / "report.html", run_page(made, PROVENANCE, live))
    return (folder / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    made = board(
        {"BLEU": [1, 2, 3, 4], EVIL: [1, 2, 3, NAN]},
        {"MAP": [1, 2, 4, 3]},
        {EVIL: ["x", "x", EVIL, "y"], "step": ["1", "2", "3", EVIL]},
        systems=["a", "b", EVIL, "</script><img src=x onerror=alert(1)>"],
    )
    power = Table("power", EVIL, (EVIL, "n"), ((EVIL, 1),), (EVIL,))
    return written(tmp_path_factory.mktemp("page"), result(made, [power], notes=[EVIL]))


def test_names_are_text_everywhere_and_nothing_is_fetched(page: str) -> None:
    assert EVIL not in page
    assert "onerror=alert(1)>" not in page
    found = outline(page)
    assert [tag for tag, _ in found if tag in ("img", "iframe")] == []
    assert {a.get("src") or a.get("href") for tag, a in found if tag in ("script", "link")} == {None, "data:,"}
    assert not re.search(r"https?://(?!www\.w3\.org/)", page)
    assert "python &#39;a b&#39; &#39;&lt;script&gt;alert(1)&lt;/script&gt;&#39;" in page, "can be pasted"


def test_the_policy_names_the_one_script_that_runs(page: str) -> None:
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert (
        f"default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;; script-src &#39;sha256-{digest}" in policy[1]
    )
    code = [line for line in script.split("\n") if line.strip() and not line.startswith("//")]
    assert len(code) <= 100, "shows, hides and recolours; Python draws"


def test_structure_is_one_that_screen_readers_use(page: str) -> None:
    found = outline(page)
    ids = [attributes["id"] for _, attributes in found if "id" in attributes]
    assert len(ids) == len(set(ids))
    tags = [tag for tag, _ in found]
    assert tags.count("main") == tags.count("h1") == 1
    assert tags.count("table") == tags.count("caption")
    assert all("scope" in attributes for tag, attributes in found if tag == "th")
    wanted = ["answer", "tau-kendall", "plots", "systems", "checkpoints", "analysis-power", "dropped", "provenance"]
    assert [name for name in ids if name in wanted] == wanted


def test_a_run_without_metrics_has_a_report_too(tmp_path: Path) -> None:
    outline(written(tmp_path, result(board({}, {"MAP": [1, 2]}))))


def test_the_page_of_a_watch_begins_with_the_curve_of_its_measure(tmp_path: Path) -> None:
    made = board({"BLEU": [1, 2, 3, 4]}, {"MAP": [1, 2, 4, 3], "RBO": [1, 2, 3, 4]}, {"step": ["1", "2", "3", "4"]})
    page = written(tmp_path, result(made), Live(30, ("Go on.",), "RBO"))
    order = ["RBO over training steps", "MAP over training steps", "<p>Go on.</p>", 'id="answer"']
    assert sorted(order, key=page.index) == order
    assert '<body data-reload="30">' in page
    assert 'id="checkpoints"' not in page


@pytest.mark.parametrize("many", [False, True])
def test_of_very_many_systems_the_answer_s_measure_alone_is_drawn(
    many: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(plots, "MARKS", 15 if many else 16)
    made = board({"BLEU": [1, 2, 3, 4], "TER": [1, 2, 4, 3]}, {"MAP": [1, 2, 4, 3], "RBO": [1, 2, 3, 4]})
    drawn = plots.metric_plots(result(made))
    assert drawn is not None
    assert drawn.options(0) == ["TER", "BLEU"], "the metric with the highest tau comes first"
    assert drawn.options(1) == (["MAP"] if many else ["MAP", "RBO"])
    assert ("figures/" in drawn.title) is many


def test_tau_cells_say_what_they_are_in_text_and_not_by_colour_alone() -> None:
    made = board({"A": [1, 2, 3], "B": [1, 2, 3], "C": [1, 1, 1]}, {"MAP": [1, 2, 3]})
    rows = [
        Correlation("MAP", "A", "kendall", 0.95, 0.00001, 3, "true"),
        Correlation("MAP", "B", "kendall", -0.32, 0.41, 3, "false"),
        Correlation("MAP", "C", "kendall", NAN, NAN, 3, "undefined", "C is constant"),
    ]
    ((_, a, b, c),) = rows_of(next(tau_tables(replace(result(made), correlations=tuple(rows)), "kendall")))
    assert (a["text"], a["kinds"], a["level"], a["key"]) == (".950", "number best pos", "--level: 95", "A")
    assert a["tip"] == "A with MAP: .950, p < .0001, 3 systems"
    assert (b["text"], b["kinds"], b["level"]) == ("-.320 x", "number neg dull", "")
    assert b["tip"].endswith("p = .4100, 3 systems, not significant")
    assert (c["text"], c["kinds"], c["tip"]) == ("undefined", "number none", "C with MAP: undefined, C is constant")


def test_another_reference_that_was_asked_has_a_row_below_the_first_measure() -> None:
    made = result(board({"A": [1, 2, 3], "B": [1, 3, 2]}, {"MAP": [1, 2, 3], "RBO": [1, 2, 3]}))
    taus = (
        KindTau("A", 1 / 3, -0.2, 0.7, "open", 1.0, 0.1, 0.9, True),
        KindTau("B", 1.0, 0.3, 1.0, "moderate", 1.0, 0.0, 0.0, False),
    )
    kinds = Kinds("five rare words", "reference C", 9, 0.9, 0.5, 0.5, taus)
    fresh = replace(made)
    fresh.__dict__["kinds"] = {f"{BY_REFERENCE}C": kinds}
    table = next(tau_tables(fresh, "kendall"))
    assert [row[0] for row in table.rows] == ["MAP", "MAP judged by C", "RBO"]
    assert table.cells(table.rows)[1][1:] == [".333 x", "1.000"]
    assert not rows_of(table)[1][1]["tip"], "no plot belongs to it"
    fresh.__dict__["kinds"] = {f"{BY_REFERENCE}C": replace(kinds, reliability=0.5)}
    assert len(next(tau_tables(fresh, "kendall")).rows) == 2, "noise has no row"
