"""Files that are not what they seem: what is said of them, and that nothing is said of sound ones."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from clirbench.corpora.base import Corpus
from clirbench.corpora.folder import FolderCorpus
from clirbench.engines.base import Engine
from clirbench.engines.local import Serial
from clirbench.experiment import looked_over, pass_over
from clirbench.result import Experiment, Inputs, no_watch
from clirbench.store.cached import Cached
from clirbench.store.store import Store, read_through_snapshot
from clirbench.systems.files import FileSystems
from clirbench.systems.health import FileHealth, examined, health, health_table
from clirbench.text import TextFile, TextLines
from tests.conftest import SHARED, write_lines

FOREIGN = "shares hardly any text with the reference: another language, other lines, or no translation"
Found = tuple[list[FileHealth], list[str]]


def sentences(n: int, seed: int) -> list[str]:
    """Lines as long as those of news: 2 to some 60 words."""
    chosen = random.Random(seed)
    return [" ".join(["word"] * (2 + int(chosen.gammavariate(2.5, 8)))) for _ in range(n)]


def worse(lines: Sequence[str], share: float, seed: int) -> list[str]:
    """The lines without some of their words."""
    chosen = random.Random(seed)
    return [" ".join(word for word in line.split() if chosen.random() > share) or "x" for line in lines]


def seen(reference: Sequence[str], lines: Sequence[str]) -> tuple[FileHealth, list[str]]:
    found = examined(TextLines(tuple(reference)), TextLines(tuple(lines)))
    row = FileHealth("x", "test", **found)
    return row, list(row.complaints())


@pytest.mark.parametrize("offset", [-2, -1, 1, 2])
@pytest.mark.parametrize("share", [0.0, 0.2])
@pytest.mark.parametrize("at", [0, 700, 1_900])
def test_a_slip_is_found_and_its_line_named(offset: int, share: float, at: int) -> None:
    reference = sentences(2_000, seed=1)
    lines = worse(reference, share, seed=2)
    off = ["a b"] * abs(offset)
    lines = (lines[:at] + off + lines[at:])[:2_000] if offset > 0 else lines[:at] + lines[at - offset :] + off
    row, _ = seen(reference, lines)
    assert row.off_by == offset
    assert row.from_line is not None
    assert abs(row.from_line - 1 - at) <= 3


def test_a_slip_that_is_made_good_later_is_found() -> None:
    reference = sentences(2_000, seed=1)
    lines = worse(reference, 0.1, seed=2)
    row, (note,) = seen(reference, lines[:500] + lines[501:1_200] + ["x"] + lines[1_200:])
    assert note.startswith(f"from line {row.from_line} on it fits the reference better 1 line early than line by line;")
    assert row.off_by == -1
    assert row.from_line is not None
    assert abs(row.from_line - 501) <= 3


@pytest.mark.parametrize("share", [0.0, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("n", [1, 5, 60, 3_000])
def test_nothing_is_said_of_a_sound_file(n: int, share: float) -> None:
    reference = sentences(n, seed=3)
    assert seen(reference, worse(reference, share, seed=4))[1] == []


def test_unrelated_repeated_or_empty_text_has_not_slipped() -> None:
    reference = sentences(500, seed=5)
    for ours, theirs in (
        (reference, sentences(500, seed=6)),
        (reference, [reference[0]] * 500),
        ([reference[0]] * 500, [reference[0]] * 500),
        (reference, [""] * 500),
    ):
        assert seen(ours, theirs)[0].off_by == 0


def looked_at(corpus: Corpus, engine: Engine) -> Found:
    inputs = Inputs(corpus, tuple(FileSystems().translations(corpus)), {})
    asked = Experiment("files", engine)
    return health(corpus, inputs.translations, looked_over(asked, inputs, pass_over(asked, inputs, {}, no_watch))[0])


@pytest.fixture
def found(small_folder: Path) -> Callable[[], Found]:
    def examine() -> Found:
        with read_through_snapshot():
            corpus = FolderCorpus(str(small_folder)).read()
            return looked_at(corpus, Serial())

    return examine


@pytest.fixture
def notes(found: Callable[[], Found]) -> Callable[[], list[str]]:
    return lambda: found()[1]


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("systems/every9", lambda text: text.replace("\n", "\r\n"), "60 of 60 lines end in a carriage return (CRLF)"),
        ("systems/every9", lambda text: "\ufeff" + text, "begins with a byte order mark"),
        ("systems/every9", lambda text: "\n" * 60, "60 of 60 lines are blank"),
        ("reference", lambda text: text.replace("\n", "\r\n"), "60 of 60 lines end in a carriage return (CRLF)"),
        ("reference", lambda text: "\ufeff" + text, "begins with a byte order mark"),
    ],
    ids=["CRLF", "BOM", "blank", "CRLF of a reference", "BOM of a reference"],
)  # fmt: skip
def test_what_is_strange_is_said_once(
    small_folder: Path, notes: Callable[[], list[str]], name: str, change: Callable[[str], str], said: str
) -> None:
    assert notes() == []
    path = small_folder / f"{name}.txt"
    path.write_bytes(change(path.read_text(encoding="utf-8")).encode())
    (note,) = notes()
    assert note.startswith(f"{path}: {said}")
    for path in (small_folder / "systems").iterdir():
        path.write_bytes(change(path.read_text(encoding="utf-8")).encode())
    assert any(f" and {more} more texts: {said}" in note for more in (3, 4) for note in notes())


def test_copies_names_and_rows_without_a_file_are_said_and_come_first(
    small_folder: Path, found: Callable[[], Found]
) -> None:
    systems = small_folder / "systems"
    (systems / "Every9 .txt").write_bytes((systems / "every9.txt").read_bytes())
    write_lines(small_folder / "systems.tsv", ["system\tkind", "every9\ta", "every10\tb"])
    (systems / "every2.txt").write_bytes((systems / "every2.txt").read_bytes().replace(b"\n", b"\r\n"))
    rows, notes = found()
    assert notes[-2:] == [
        "systems whose collection texts are the same, byte for byte: Every9 , every9",
        f"{small_folder / 'systems.tsv'}: systems without a file: every10",
    ]
    by_text = {(row.system, row.side): row for row in rows}
    copied, crlf = by_text["every9", "collection"], by_text["every2", "collection"]
    assert (copied.same_text_as, copied.looks_like) == ("Every9 ", "Every9 ")
    assert crlf.crlf_lines == crlf.lines == 60
    table = health_table(rows)
    assert sorted(row[0] for row in table.rows[: table.shown]) == ["Every9 ", "every10", "every2", "every9"]
    assert table.text[0].startswith(f"4 of {len(rows)} texts are strange")


def test_a_rerun_does_not_read_the_texts_again(small_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = FolderCorpus(str(small_folder)).read()
    engine = Cached(Serial(), Store(small_folder.parent / "store"))
    assert looked_at(corpus, engine)[1] == []
    monkeypatch.setattr("clirbench.systems.health.count_lines", None)
    assert looked_at(corpus, engine)[1] == []


@pytest.mark.skipif(not SHARED.is_dir(), reason="REAL DATA ABSENT: no real file is looked over")
def test_real_systems_are_sound_and_every_slip_is_found() -> None:
    folder = SHARED / "vocab-sweep" / "de-en" / "newstest2018"
    reference = TextFile(folder / "reference.txt.gz").lines()
    paths = sorted((folder / "systems").glob("*.txt.gz"))
    assert len(paths) == 38
    chosen = random.Random(8)
    for path in paths:
        lines = TextFile(path).lines()
        assert seen(reference, lines)[1] == []
        at = chosen.randrange(2_800)
        row, _ = seen(reference, (*lines[:at], *lines[at + 1 :], "x"))
        assert row.off_by == -1
        assert row.from_line is not None
        assert abs(row.from_line - 1 - at) <= 5


@pytest.mark.skipif(not SHARED.is_dir(), reason="REAL DATA ABSENT: no real file is looked over")
def test_a_text_that_is_no_translation_is_said_to_share_hardly_any_text() -> None:
    """Hand-worked: of the sequences abcd, bcde and abcd, bcdf one of two is the same, in its line alone."""
    assert seen(["Ab cde", "xyzw"], ["abcd f", "xyzw"])[0].shared == pytest.approx(2 / 3)
    assert seen(["abcd", "wxyz"], ["wxyz", "abcd"])[0].shared == 0
    folder = SHARED / "wmt22" / "cs-en"
    reference, *others = (
        TextFile(folder / f"{name}.txt.gz").lines() for name in ("reference-B", "reference-C", "source")
    )
    shuffled = random.Random(9).sample(reference, len(reference))
    assert [seen(reference, lines)[1] for lines in (*others, shuffled)] == [[], [FOREIGN], [FOREIGN]]
    systems = sorted((folder / "systems").glob("*.txt.gz"))
    assert [seen(reference, TextFile(path).lines())[0].foreign for path in systems] == [False] * 11
