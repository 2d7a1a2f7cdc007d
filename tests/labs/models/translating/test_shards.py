"""Shards: whole documents, streamed; files that are there whole or not at all, and found out when damaged."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clirbench.errors import InputError, StoreError
from clirbench.labs.models.translating.shards import Shards, pack_lines, read_shard, write_shard
from clirbench.text import TextLines
from clirbench.types import DocumentMap


def shards(lengths: list[int], size: int) -> Shards:
    map_ = DocumentMap(tuple(f"d{i}" for i in range(len(lengths))), np.array(lengths, dtype=np.int64))
    return Shards(TextLines(tuple(f"line {i}" for i in range(sum(lengths)))), map_, size)


def test_documents_are_never_cut() -> None:
    assert shards([2, 2, 9, 1, 1], 3).lengths == (4, 9, 2)
    assert shards([1, 1, 1, 1], 2).lengths == (2, 2)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=30), st.integers(1, 12))
def test_shards_are_the_text_in_order(lengths: list[int], size: int) -> None:
    cut = shards(lengths, size)
    together = [line for shard in cut for line in shard]
    assert tuple(together) == cut.text.lines()
    assert len(cut) == len(cut.lengths) == len(cut.digests)
    ends = set(np.cumsum(lengths).tolist())
    assert set(np.cumsum(cut.lengths).tolist()) <= ends
    assert all(length >= size for length in cut.lengths[:-1])


def test_a_text_with_too_few_lines_is_found_out() -> None:
    cut = Shards(TextLines(("one",)), DocumentMap.blocks_of(3), 2)
    with pytest.raises(InputError, match="has fewer than 3 lines"):
        _ = cut.digests


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.txt"
    lines = ["eins", "", "z\u2028wei\r"]
    write_shard(path, lines)
    assert read_shard(path, 3) == pack_lines(lines) == "eins\n\nz\u2028wei\r\n".encode()
    assert [file.name for file in path.parent.iterdir()] == ["b.txt"]


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-3], lambda b: b + b"x\n", lambda b: b[:70] + b"X" + b[71:], lambda b: b""]
)
def test_damage_is_found(tmp_path: Path, damage: "object") -> None:
    path = tmp_path / "b.txt"
    write_shard(path, ["eins", "zwei", "drei"])
    assert callable(damage)
    path.write_bytes(damage(path.read_bytes()))
    assert read_shard(path, 3) is None


def test_a_missing_file_and_another_number_of_lines(tmp_path: Path) -> None:
    assert read_shard(tmp_path / "none.txt", 1) is None
    write_shard(tmp_path / "b.txt", ["eins"])
    assert read_shard(tmp_path / "b.txt", 2) is None


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(StoreError, match=r"a translation cannot be kept there .* paths.cache=DIR"):
        write_shard(tmp_path / "file" / "b.txt", ["eins"])
