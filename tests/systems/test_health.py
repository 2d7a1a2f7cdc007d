"""Files that are not what they seem: what is said of them, and that nothing is said of sound ones."""

import gzip
import random
import re
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
from clirbench.systems.health import FileHealth, Health, Reference, examine_text, health, health_table
from clirbench.text import TextFile, TextLines
from tests.conftest import SHARED, write_lines

Found = tuple[list[FileHealth], list[str]]
Change = Callable[[list[str]], list[str]]


def sentences(n: int, seed: int) -> list[str]:
    """Lines with words that many lines share and words that few do."""
    chosen = random.Random(seed)
    return [" ".join(f"w{int(chosen.paretovariate(0.6)) % 5000}" for _ in range(15)) for _ in range(n)]


def worse(lines: Sequence[str], share: float, seed: int) -> list[str]:
    chosen = random.Random(seed)
    return [" ".join(w if chosen.random() > share else f"o{chosen.random()}" for w in line.split()) for line in lines]


def seen(reference: Sequence[str], lines: Sequence[str]) -> Health:
    return examine_text(TextLines(tuple(lines)), Reference(TextLines(tuple(reference)), len(reference)))


@pytest.mark.parametrize("offset", [-2, -1, 1, 2])
@pytest.mark.parametrize("share", [0.2, 0.6])
@pytest.mark.parametrize("at", [0, 700, 1_900])
def test_a_slip_is_found_and_its_line_named(offset: int, share: float, at: int) -> None:
    reference = sentences(2_000, seed=1)
    lines = worse(reference, share, seed=2)
    off = ["a b"] * abs(offset)
    lines = (lines[:at] + off + lines[at:])[:2_000] if offset > 0 else lines[:at] + lines[at - offset :] + off
    found = seen(reference, lines).slip
    assert found is not None
    assert found[0] == offset
    assert abs(found[1] - 1 - at) <= 3


def test_a_slip_that_is_made_good_later_is_found() -> None:
    reference = sentences(2_000, seed=1)
    lines = worse(reference, 0.3, seed=2)
    lines = lines[:500] + lines[501:1_200] + ["x"] + lines[1_200:]
    found = seen(reference, lines).slip
    assert found is not None
    assert found[0] == -1
    assert abs(found[1] - 501) <= 3


@pytest.mark.parametrize("share", [0.0, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("n", [1, 5, 60, 3_000])
def test_nothing_is_said_of_a_sound_file(n: int, share: float) -> None:
    reference = sentences(n, seed=3)
    found = seen(reference, worse(reference, share, seed=4))
    assert list(found.complaints()) == []


def test_nothing_is_said_of_unrelated_repeated_or_empty_text() -> None:
    reference = sentences(500, seed=5)
    assert seen(reference, sentences(500, seed=6)).slip is None
    assert seen(reference, [reference[0]] * 500).slip is None
    assert seen([reference[0]] * 500, [reference[0]] * 500).slip is None
    assert seen(reference, [""] * 500).slip is None


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


def test_stars_of_the_reference_are_no_marks() -> None:
    """Fewer than 5 % more lines than the reference has, or bullets and stars inside words, are no marks."""
    lines = sentences(100, 1)
    starred = [f"see (*{line}" for line in lines[:50]] + lines[50:]
    assert seen(starred, starred).n_marked == 0
    assert seen(lines, starred).n_marked == 50
    assert seen(lines, [f"* {line}" for line in lines]).n_marked == 0
    assert not list(seen(lines, [f"*{line}" for line in lines[:5]] + lines[5:]).complaints())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.replace("\n", "\r\n"), "60 of 60 lines end in a carriage return (CRLF)"),
        (lambda text: "\ufeff" + text, "begins with a byte order mark"),
        (lambda text: "\n" * 60, "60 of 60 lines are blank"),
        (lambda text: "*" + text.replace("\n", "\n*", 5), "6 of 60 lines have a star before a word"),
        (lambda text: text.partition("\n")[2] + "x\n", "from line 1 on it fits the reference better 1 line early"),
    ],
    ids=["CRLF", "BOM", "blank", "marks", "slip"],
)
def test_what_is_strange_is_said(
    small_folder: Path, notes: Callable[[], list[str]], change: Callable[[str], str], said: str
) -> None:
    assert notes() == []
    path = small_folder / "systems" / "every9.txt"
    path.write_bytes(change(path.read_text(encoding="utf-8")).encode())
    (note,) = notes()
    assert note.startswith(f"{path}: {said}")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.replace("\n", "\r\n"), "60 of 60 lines end in a carriage return (CRLF)"),
        (lambda text: "\ufeff" + text, "begins with a byte order mark"),
    ],
    ids=["CRLF", "BOM"],
)
def test_what_is_strange_about_a_reference_is_said_once(
    small_folder: Path, notes: Callable[[], list[str]], change: Callable[[str], str], said: str
) -> None:
    path = small_folder / "reference.txt"
    path.write_bytes(change(path.read_text(encoding="utf-8")).encode())
    (note,) = notes()
    assert note.startswith(f"{path}: {said}")


def test_copies_names_and_rows_without_a_file_are_said(small_folder: Path, notes: Callable[[], list[str]]) -> None:
    systems = small_folder / "systems"
    (systems / "Every9 .txt").write_bytes((systems / "every9.txt").read_bytes())
    write_lines(small_folder / "systems.tsv", ["system\tkind", "every9\ta", "every10\tb"])
    assert notes() == [
        "systems whose collection texts are the same, byte for byte: Every9 , every9",
        f"{small_folder / 'systems.tsv'}: systems without a file: every10",
    ]


def test_the_table_has_strange_texts_first(small_folder: Path, found: Callable[[], Found]) -> None:
    systems = small_folder / "systems"
    (systems / "Every9 .txt").write_bytes((systems / "every9.txt").read_bytes())
    write_lines(small_folder / "systems.tsv", ["system\tkind", "every9\ta", "every10\tb"])
    (systems / "every2.txt").write_bytes((systems / "every2.txt").read_bytes().replace(b"\n", b"\r\n"))
    rows = found()[0]
    by_text = {(row.system, row.side): row for row in rows}
    assert by_text["every9", "collection"].same_text_as == "Every9 "
    assert by_text["every9", "collection"].looks_like == "Every9 "
    assert by_text["every2", "collection"].crlf_lines == by_text["every2", "collection"].lines == 60
    assert by_text["every10", "no file"].strange
    table = health_table(rows)
    assert sorted(row[0] for row in table.rows[: table.shown]) == ["Every9 ", "every10", "every2", "every9"]
    assert table.text[0].startswith(f"4 of {len(rows)} texts are strange")


def test_a_file_that_unpacks_to_much_more_is_named(small_folder: Path, notes: Callable[[], list[str]]) -> None:
    path = small_folder / "systems" / "every9.txt"
    lines = [line + " x" * 20_000 for line in path.read_text(encoding="utf-8").splitlines()]
    path.unlink()
    packed = path.with_suffix(".txt.gz")
    packed.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))
    (note,) = notes()
    assert re.fullmatch(rf"{packed}: unpacks to \d+ times its size; is it a text\?", note)


def test_a_rerun_does_not_read_the_texts_again(small_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = FolderCorpus(str(small_folder)).read()
    engine = Cached(Serial(), Store(small_folder.parent / "store"))
    assert looked_at(corpus, engine)[1] == []
    monkeypatch.setattr("clirbench.systems.health.examine_text", None)
    assert looked_at(corpus, engine)[1] == []


@pytest.mark.skipif(not SHARED.is_dir(), reason="REAL DATA ABSENT")
def test_real_systems_are_sound_and_every_slip_is_found() -> None:
    folder = SHARED / "vocab-sweep" / "de-en" / "newstest2018"
    text = TextFile(folder / "reference.txt.gz")
    reference = Reference(text, len(text.lines()))
    paths = sorted((folder / "systems").glob("*.txt.gz"))
    assert len(paths) == 38
    chosen = random.Random(8)
    for path in paths:
        assert list(examine_text(TextFile(path), reference).complaints()) == []
        lines = TextFile(path).lines()
        at = chosen.randrange(2_800)
        slip = examine_text(TextLines((*lines[:at], *lines[at + 1 :], "x")), reference).slip
        assert slip is not None
        assert slip[0] == -1
        assert abs(slip[1] - 1 - at) <= 5
