from pathlib import Path

from clirbench.pages.table import Table
from clirbench.report.html.pair import MOST, marked, topic_words, write_pair
from tests.report.boards import EVIL, board, result

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
    assert write_pair(tmp_path / "pair.html", [Table("favoritism", EVIL, HEADER, ROWS, (EVIL,))])
    page = (tmp_path / "pair.html").read_text(encoding="utf-8")
    assert page.index("segment 3") < page.index("segment 7")
    assert "segment 4" not in page
    assert EVIL not in page
    assert "<mark>a dog</mark>" in page


def test_without_favoritism_there_is_no_page(tmp_path: Path) -> None:
    assert not write_pair(tmp_path / "pair.html", [])
    assert not (tmp_path / "pair.html").exists()


def test_sentence_scores_come_first_and_influence_second(tmp_path: Path) -> None:
    top = Table("favoritism_top", "t", HEADER, (), ("BLEU, sentence by sentence: one is better", "in general"))
    wins = tuple(
        ("BLEU", segment, a, b, better)
        for segment, a, b, better in ((7, 10.0, 90.0, EVIL), (3, 20.0, 25.0, EVIL), (4, 5.0, 5.0, ""))
    )
    won = Table("segment_wins", "t", ("metric", "segment", "score_a", "score_b", "better"), wins)
    made = [Table("favoritism", "t", HEADER, ROWS), top, won]
    assert write_pair(tmp_path / "pair.html", made, frozenset({"cat", "mouse"}))
    page = (tmp_path / "pair.html").read_text(encoding="utf-8")
    first, second = page.index("Sentence scores"), page.index("<summary>Corpus influence (leave-one-out)")
    assert page.index("BLEU, sentence by sentence") < first < second
    assert page.index("10.000 against 90.000") < page.index("20.000 against 25.000") < second
    assert page.count('data-side="b" data-words="3" data-lost="b"') == 1, "segment 7: the other system lost the cat"
    assert "lost cat" in page
    assert "lost cat, mouse" not in page


def test_each_side_has_its_strongest_segments(tmp_path: Path) -> None:
    rows = [("BLEU", i, i, float(i), "one", "x", "x", "y") for i in range(1, 2 * MOST)]
    made = Table("favoritism", "t", HEADER, (*rows, ("BLEU", 99, 99, -0.001, EVIL, "x", "x", "y")))
    write_pair(tmp_path / "pair.html", [made])
    page = (tmp_path / "pair.html").read_text(encoding="utf-8")
    assert page.count("<article") == MOST + 1
    assert 'aria-label="segment 99"' in page


def test_the_direction_of_text_is_its_own(tmp_path: Path) -> None:
    hebrew = ("BLEU", 1, 1, 0.5, "one", "שלום עולם", "שלום", "مرحبا")
    write_pair(tmp_path / "pair.html", [Table("favoritism", "t", HEADER, (hebrew,))])
    page = (tmp_path / "pair.html").read_text(encoding="utf-8")
    assert '<p dir="auto">שלום עולם</p>' in page
    assert page.count('<p dir="auto">') == 3


def test_words_of_topics() -> None:
    assert topic_words(result(board({"BLEU": [1.0, 2]}, {}), [], [])) == frozenset()
