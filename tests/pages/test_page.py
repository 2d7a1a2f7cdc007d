"""One page, as Markdown and as HTML: the same sentences, lists and cells."""

from pathlib import Path

from clirbench.pages import Cell, Page, Plots, Section, Table, points
from clirbench.report.html.page import write_page
from clirbench.report.markdown import page
from tests.report.boards import EVIL

TABLE = Table("part", "Cells", ("name", "value"), ((Cell(EVIL, href="0/report.html"), Cell(0.5, best=True)),))
MADE = Page(
    f"Page {EVIL}",
    (
        Section("answer", "", ("First.", ("By the way.",))),
        Section("cells", "Cells", (TABLE, Plots("Forest", [("a plot", "<svg/>")]))),
        *points("signatures", "Signatures", ["BLEU: nrefs:1"]),
        *points("none", "Nothing", []),
    ),
)


def test_as_markdown() -> None:
    script = r"\<script>alert(1)\</script>"
    assert page(MADE) == (
        f"# Page {script}\n\nFirst.\n\n- By the way.\n\n## Cells\n\n| name | value |\n| --- | ---: |\n"
        r"| [\<script\>alert(1)\</script\>](0/report.html) | 0.5000 |"
        "\n\n## Signatures\n\n- BLEU: nrefs:1\n"
    )


def test_as_html(tmp_path: Path) -> None:
    write_page(tmp_path / "page.html", MADE)
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert EVIL not in text
    for part in (
        "<p>First.</p>",
        "<li>By the way.</li>",
        '<h2 id="cells-title">Cells</h2>',
        '<td dir="auto" class="number best">0.5000</td>',
        '<figure class="canvas" aria-label="a plot"><svg/></figure>',
        "<li>BLEU: nrefs:1</li>",
    ):
        assert part in text, part
