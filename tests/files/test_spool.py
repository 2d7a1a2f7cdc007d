import mmap

import numpy as np
import pytest

from clirbench.errors import ResourceError
from clirbench.files import lines as spool
from clirbench.files.lines import Spool, give_back, map_of, pages


@pytest.mark.parametrize("held", [1 << 26, 40])
def test_what_was_written_is_read_back_in_memory_and_in_a_file(held, monkeypatch) -> None:
    monkeypatch.setattr(spool, "HELD", held)
    made = Spool()
    for piece in (np.arange(4), np.arange(4, 9).reshape(5, 1), np.empty(0, dtype=np.int64)):
        made.write(piece)
    array = made.array(np.int64)
    assert array.tolist() == list(range(9))
    assert made.read(8, 24) == np.array([1, 2]).tobytes()
    assert (map_of(array[2:5]) is not None) == (held == 40)


def test_an_empty_spool_is_an_empty_array() -> None:
    assert Spool().array(np.float64).shape == (0,)
    assert Spool().read(0, 0) == b""


def test_pages_are_all_bytes_and_what_was_given_back_is_read_again(monkeypatch) -> None:
    monkeypatch.setattr(spool, "HELD", 0)
    monkeypatch.setattr(spool, "PIECE", mmap.PAGESIZE)
    made = Spool()
    values = np.arange(5 * mmap.PAGESIZE // 8 + 3)
    made.write(values)
    array = made.array(np.int64)
    pieces = [bytes(piece) for piece in pages(array)]
    assert len(pieces) == 6  # five pages, and three numbers more
    assert b"".join(pieces) == values.tobytes()
    give_back(array)
    assert array.tolist() == values.tolist()
    assert list(pages(b"ab")) == [b"ab"]


def test_a_folder_without_room_is_named(monkeypatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(spool, "HELD", 0)
    monkeypatch.setattr(spool, "TemporaryFile", full)
    with pytest.raises(ResourceError, match=r"no room for 3 bytes .*No space left on device.*TMPDIR"):
        Spool().write(b"abc")
