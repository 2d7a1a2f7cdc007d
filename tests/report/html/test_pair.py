from pathlib import Path

from clirbench.report.html.pair import marked, write_pair
from clirbench.result import AnalysisTable
from tests.report.boards import EVIL

HEADER = ("metric", "rank", "segment", "delta", "favours", "reference", "one", EVIL)
ROWS = (
    ("BLEU", 1, 7, 0.5, "one", "the cat sat", "the cat sat", "a dog sat"),
    ("BLEU", 2, 3, -0.9, EVIL, "x", "y", f"{EVIL} x"),
    ("BLEU", 3, 4, 0.0, "", "same", "same", "same"),
)


def test_words_that_the_reference_lacks_are_marked() -> None:
    assert marked("the Dog sat", "The cat sat") == [("the", False), ("Dog", True), ("sat", False)]
    assert marked("", "x") == []


def test_the_page_has_the_strongest_segments_first_and_escapes_names(tmp_path: Path) -> None:
    assert write_pair(tmp_path / "pair.html", [AnalysisTable("favoritism", EVIL, HEADER, ROWS, (EVIL,))])
    page = (tmp_path / "pair.html").read_text(encoding="utf-8")
    assert page.index("segment 3") < page.index("segment 7")
    assert "segment 4" not in page
    assert EVIL not in page
    assert "<mark>a dog</mark>" in page


def test_without_favoritism_there_is_no_page(tmp_path: Path) -> None:
    assert not write_pair(tmp_path / "pair.html", [])
    assert not (tmp_path / "pair.html").exists()
