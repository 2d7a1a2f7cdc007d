"""Vocabularies by their names: what SentencePiece learns, and how often each class occurs."""

from collections import Counter
from pathlib import Path

import pytest

from clirbench.errors import ConfigError
from clirbench.labs.training.texts import cut_texts
from clirbench.labs.training.vocabulary import (
    CLASSES,
    SOURCE,
    TARGET,
    Learn,
    imbalance,
    parse_vocabulary,
    processor,
    vocabulary_key,
)
from clirbench.statistics.imbalance import divergence, frequency_at, read_classes
from tests.labs.training.toys import text


def home(tmp_path: Path, lines: list[str], name: str) -> Path:
    for folder in ("texts", "vocabularies"):
        (tmp_path / folder).mkdir(exist_ok=True)
    key = cut_texts(text(tmp_path / "data", lines), 40, tmp_path / "texts")
    assert Learn(str(tmp_path), ("xx", "en"), 1.0)((name, key)) == ""
    return tmp_path / "vocabularies" / vocabulary_key(name, key, 1.0)


@pytest.mark.parametrize(("name", "size"), [("bpe60", 60), ("unigram70", 70), ("bpe80-shared", 80)])
def test_a_vocabulary_has_its_size_and_gives_the_text_back(
    tmp_path: Path, lines: list[str], name: str, size: int
) -> None:
    folder = home(tmp_path, lines, name)
    pieces = processor(folder / TARGET)
    assert pieces.get_piece_size() == size
    assert pieces.decode(pieces.encode(lines[3], out_type=str)) == lines[3]
    assert ((folder / SOURCE).read_bytes() == (folder / TARGET).read_bytes()) == name.endswith("-shared")


def test_classes_are_counted_in_the_target_text(tmp_path: Path, lines: list[str]) -> None:
    folder = home(tmp_path, lines, "char")
    classes, characters = read_classes(folder / CLASSES), Counter("".join(lines[:40]))
    # A class for each character and for the end of a line; SentencePiece writes a space before each line.
    assert len(classes.used) == len(characters) + 1
    assert classes.used.sum() == characters.total() + 40 + 40
    used, f95, d = imbalance(folder)
    assert float(f95) == frequency_at(classes)
    assert float(d) == pytest.approx(divergence(classes), abs=1e-6)
    assert int(used) == len(classes.used)


def test_rare_characters_get_no_classes_where_less_is_to_be_covered(tmp_path: Path, lines: list[str]) -> None:
    folder = home(tmp_path, [*lines[:39], "\u0416 \u0428"], "char")
    key = next((tmp_path / "texts").iterdir()).name
    assert Learn(str(tmp_path), ("xx", "en"), 0.99)(("char", key)) == ""
    other = tmp_path / "vocabularies" / vocabulary_key("char", key, 0.99)
    all_of_them, fewer = (read_classes(place / CLASSES) for place in (folder, other))
    assert frequency_at(all_of_them) < frequency_at(fewer)
    assert processor(other / TARGET).encode("\u0416", out_type=int)[-1] == 0


@pytest.mark.parametrize("name", ["bpe", "char500", "bpe0", "BPE500", "bpe500-joint", "words"])
def test_another_name_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="bpe2000, unigram2000 or char was expected"):
        parse_vocabulary(name)


def test_a_size_that_the_text_cannot_give_is_a_reason(tmp_path: Path, lines: list[str]) -> None:
    folder = home(tmp_path, lines, "char")
    key = next((tmp_path / "texts").iterdir()).name
    assert "9000 subwords cannot be learned from 40 lines" in Learn(str(tmp_path), ("xx", "en"), 1.0)(("bpe9000", key))
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
