"""Pages as files: what is in them, that names are text everywhere, and that nothing is fetched."""

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from clirbench.pages import Table
from clirbench.report.facts import tau_tables
from clirbench.report.html import page as plots
from clirbench.report.html.page import MOST_ROWS, rows_of, write_page
from clirbench.report.html.report import MOST, Live, pair_page, pieces_of, run_page
from clirbench.report.tables import systems_table
from clirbench.result import Result
from clirbench.statistics.correlation import Correlation
from tests.report.boards import EVIL, board, result

NAN = float("nan")
PROVENANCE = {"clirbench": "1", "made": "today", "python": "3", "seed": 0, "command": ["python", "a b", EVIL]}
HEADER = ("metric", "rank", "segment", "delta", "favours", "reference", "one", EVIL)


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
    segments = Table("favoritism", "t", HEADER, (("BLEU", 1, 7, 0.5, EVIL, "x", "x", EVIL),))
    return written(tmp_path_factory.mktemp("page"), result(made, [power, segments], notes=[EVIL]))


def test_names_are_text_everywhere_and_nothing_is_fetched(page: str) -> None:
    assert EVIL not in page
    assert "onerror=alert(1)>" not in page
    found = outline(page)
    assert [tag for tag, _ in found if tag in ("img", "iframe")] == []
    assert {a.get("src") or a.get("href") for tag, a in found if tag in ("script", "link")} == {None, "data:,"}
    assert not re.search(r"https?://(?!www\.w3\.org/)", page)


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
    wanted = [
        "answer",
        "tau-kendall",
        "plots",
        "systems",
        "checkpoints",
        "pair",
        "analysis-power",
        "dropped",
        "provenance",
    ]
    assert [name for name in ids if name in wanted] == wanted


def test_the_command_is_quoted_so_that_it_can_be_pasted(page: str) -> None:
    assert "python &#39;a b&#39; &#39;&lt;script&gt;alert(1)&lt;/script&gt;&#39;" in page


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
    monkeypatch.setattr(plots, "MANY", 3 if many else 4)
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
    ((_, a, b, c),), _, _ = rows_of(tau_tables(made, rows, "kendall")[0])
    assert (a["text"], a["style"], a["key"]) == (".950", "pos l10 best", "A")
    assert a["tip"] == "A with MAP: .950, p < .0001, 3 systems"
    assert (b["text"], b["style"]) == ("-.320 x", "neg l3 dull")
    assert b["tip"].endswith("p = .4100, 3 systems, not significant")
    assert (c["text"], c["style"], c["tip"]) == ("undefined", "none", "C with MAP: undefined, C is constant")


def test_holes_are_dashes_that_sort_last_and_metadata_sort_as_numbers_where_they_are_numbers() -> None:
    texts = {"step": ["1,000", "2,000", ""], "a": ["1_5", "2", "x"], "b": ["12,5", "1,234,567", "1e3"]}
    rows, flush, _ = rows_of(systems_table(board({"BLEU": [10, 30, NAN]}, {"MAP": [0.1, 0.2, 0.3]}, texts)))
    assert flush == [False, True, False, False, True, True]
    assert [cell["text"] for cell in rows[2]] == ["d3", "", "x", "1e3", "–", "0.3000"]
    assert [(row[4]["sort"], row[4]["style"]) for row in rows] == [(10, ""), (30, "best"), (float("-inf"), "")]
    assert [[cell["sort"] for cell in row[1:4]] for row in rows] == [
        [1000, "1_5", "12,5"],
        [2000, 2, 1234567],
        ["", "x", 1000],
    ]


def test_of_a_long_table_significant_rows_are_shown() -> None:
    rows = [(f"s{i}", str(i == MOST_ROWS + 6).lower()) for i in range(MOST_ROWS + 7)]
    cells, _, left_out = rows_of(Table("power", "Power", ("name", "significant"), rows))
    assert (len(cells), left_out, cells[0][0]["text"]) == (MOST_ROWS, 7, f"s{MOST_ROWS + 6}")


def test_two_systems_side_by_side(tmp_path: Path) -> None:
    """By hand: of segment 7 the second system lost the cat; each system has its strongest segments."""
    assert pieces_of("the Dog sat", "The cat sat") == [("the", False), ("Dog", True), ("sat", False)]
    rows = [
        ("BLEU", 1, 7, 0.5, "one", "the cat sat", "the cat sat", "a dog sat"),
        ("BLEU", 2, 3, -0.9, EVIL, "x", "y", f"{EVIL} x"),
        ("BLEU", 3, 4, 0.0, "", "same", "same", "same"),
        *(("BLEU", i, i, float(i), "one", "x", "x", "y") for i in range(10, 10 + MOST)),
    ]
    won = tuple(("BLEU", *cells) for cells in ((7, 10.0, 90.0, EVIL), (3, 20.0, 25.0, EVIL), (4, 5.0, 5.0, "")))
    made = [
        Table("favoritism", "t", HEADER, rows),
        Table("favoritism_top", "t", HEADER, (), ("BLEU, sentence by sentence: one is better", "in general")),
        Table("segment_wins", "t", ("metric", "segment", "score_a", "score_b", "better"), won),
    ]
    page = pair_page(made, frozenset({"cat", "mouse"}))
    assert page is not None
    _, by_score, by_influence = page.sections
    said, scores = by_score.blocks
    assert str(said).startswith("BLEU, sentence by sentence")
    assert isinstance(scores, Table)
    assert scores.cells(scores.rows)[0] == [
        "7", "10.000 against 90.000", EVIL, "3", f"{EVIL} lost cat", "the cat sat", "the cat sat", "a dog sat",
    ]  # fmt: skip
    (influence,) = by_influence.blocks
    assert isinstance(influence, Table)
    assert [row[0] for row in influence.rows] == [*range(9 + MOST, 9, -1), 3]
    assert pair_page([]) is None
    write_page(tmp_path / "pair.html", page)
    assert "<mark>a dog</mark> sat" in (tmp_path / "pair.html").read_text(encoding="utf-8")
