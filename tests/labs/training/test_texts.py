"""The first N pairs of a parallel text, by content."""

import gzip
from pathlib import Path

import pytest

from clirbench.errors import AlignmentError, ConfigError, InputError, UnknownName
from clirbench.labs.training.texts import ParallelText, cut_texts, read_pairs
from tests.conftest import write_lines
from tests.labs.training.toys import text


def made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


def test_the_first_pairs_are_kept_whole_under_their_content(tmp_path: Path, lines: list[str]) -> None:
    data = text(tmp_path / "a", lines)
    home = made(tmp_path / "grid")
    keys = {size: cut_texts(data, size, home) for size in (40, 10)}
    assert sorted(path.name for path in home.iterdir()) == sorted(keys.values())
    source, target = read_pairs(home / keys[10], "train", ("xx", "en"))
    assert list(target) == lines[:10]
    assert list(source) == [line[::-1] for line in lines[:10]]
    assert read_pairs(home / keys[40], "valid", ("xx", "en"))[1] == tuple(lines)
    # Beyond the largest size nothing matters; a packed file is the same text; a changed word is another.
    same = text(tmp_path / "b", lines)
    with (tmp_path / "b" / "train.en").open("a", encoding="utf-8") as stream:
        stream.write("one more line on one side\n")
    (tmp_path / "b" / "dev.en.gz").write_bytes(gzip.compress((tmp_path / "b" / "dev.en").read_bytes()))
    (tmp_path / "b" / "dev.en").unlink()
    assert cut_texts(same, 10, made(tmp_path / "other")) == keys[10]
    write_lines(tmp_path / "a" / "train.en", ["another word", *lines[1:]])
    assert cut_texts(data, 10, home) != keys[10]


def test_what_is_wrong_with_a_text_is_said(tmp_path: Path, lines: list[str]) -> None:
    data, home = text(tmp_path / "a", lines), made(tmp_path / "grid")
    with pytest.raises(ConfigError, match="50 pairs are wanted, .*train.xx has 40"):
        cut_texts(data, 50, home)
    write_lines(tmp_path / "a" / "dev.en", lines[:-1])
    with pytest.raises(AlignmentError, match="dev.xx and .*dev.en: one has more lines"):
        cut_texts(data, 20, home)
    write_lines(tmp_path / "a" / "dev.en", [])
    write_lines(tmp_path / "a" / "dev.xx", [])
    with pytest.raises(InputError, match="dev.xx: no pairs are in it"):
        cut_texts(data, 20, home)
    with pytest.raises(InputError, match="train.de: no such file .*paths.mirror=None; grid.data.folder=DIR"):
        ParallelText(str(tmp_path / "a"), "de").files("train")
    with pytest.raises(UnknownName, match="unknown data set 'nothing'"):
        ParallelText(str(tmp_path), manifest="nothing").files("train")
    with pytest.raises(ConfigError, match="two files were expected"):
        ParallelText(train=["a", "b"], valid=["c"])
    with pytest.raises(ConfigError, match="name a folder with train.SRC"):
        ParallelText()


def test_files_by_their_own_names_and_in_the_mirror(tmp_path: Path, lines: list[str]) -> None:
    text(tmp_path / "mirror" / "set", lines)
    named = ParallelText(
        "set", "xx", "en", ["dev.xx", "dev.en"], ["train.xx", "train.en"], mirror=str(tmp_path / "mirror")
    )
    assert [file.path.name for file in named.files("train")] == ["dev.xx", "dev.en"]
    assert cut_texts(named, 50, made(tmp_path / "grid"))
