"""The compiled loops against the obvious way to compute the same."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from clirbench.retrieval import kernel

WHITE = b" \t\n\v\f\r"
pieces = st.one_of(
    st.sampled_from([b"a", b"the", b"exactly8", b"exactly_fifteen", b"exactly_sixteen!", b"x" * 300, b"!", b"\x00"]),
    st.binary(max_size=20),
)
blocks = st.lists(
    st.tuples(pieces, st.sampled_from([b" ", b"\n", b"  ", b"\t", b"\r\n", b"\n\n", b"\f\v"])), max_size=60
)


def slow_numbers(block: bytes, known: dict[bytes, int]) -> list[int]:
    """Chunks in order of first sight, newlines as they come."""
    numbers = []
    chunk = b""
    for value in block:
        byte = bytes([value])
        if byte not in WHITE:
            chunk += byte
            continue
        if chunk:
            numbers.append(known.setdefault(chunk, len(known)))
            chunk = b""
        if byte == b"\n":
            numbers.append(kernel.END_OF_LINE)
    return numbers


@given(st.lists(blocks, min_size=1, max_size=3), st.sampled_from([2, 3, 7, 1000]))
def test_scan_numbers_chunks_in_order_of_first_sight(some, n_out: int) -> None:  # type: ignore[no-untyped-def]
    arena = np.empty(1 << 16, dtype=np.uint8)
    starts = np.zeros(1025, dtype=np.int64)
    keys = np.empty((1024, 2), dtype=np.uint64)
    table = np.zeros(2048, dtype=np.int32)
    out = np.empty(n_out, dtype=np.int32)
    known: dict[bytes, int] = {}
    n_chunks = 0
    for parts in some:
        block = b"".join(chunk + white for chunk, white in parts) + b"\n"
        padded = np.full(-(-(len(block) + kernel.PADDING) // 8) * 8, kernel.SPACE, dtype=np.uint8)
        padded[: len(block)] = np.frombuffer(block, dtype=np.uint8)
        numbers: list[int] = []
        at = 0
        while at < len(block):
            reached, written, n_chunks = kernel.scan(padded, len(block), at, arena, starts, keys, table, n_chunks, out)
            assert reached > at  # there is always room for a chunk and a newline
            numbers += out[:written].tolist()
            at = reached
        assert numbers == slow_numbers(block, known)
    held = [arena[starts[i] : starts[i + 1] - 1].tobytes() for i in range(n_chunks)]
    assert held == list(known)
    again = np.zeros(4096, dtype=np.int32)
    kernel.refill(again, keys, n_chunks)
    assert sorted(again[again > 0].tolist()) == list(range(1, n_chunks + 1))


def test_scan_stops_where_there_is_no_room() -> None:
    """A full arena, and a table that is half full: nothing is written, nothing is lost."""
    block = np.full(64, kernel.SPACE, dtype=np.uint8)
    block[:5] = np.frombuffer(b"ab c\n", dtype=np.uint8)
    starts = np.zeros(9, dtype=np.int64)
    keys = np.empty((8, 2), dtype=np.uint64)
    out = np.empty(8, dtype=np.int32)
    for arena, table in (
        (np.empty(3, np.uint8), np.zeros(8, np.int32)),
        (np.empty(99, np.uint8), np.zeros(2, np.int32)),
    ):
        assert kernel.scan(block, 5, 0, arena, starts, keys, table, 0, out) == (3, 1, 1)


def test_gather_stops_behind_the_last_document() -> None:
    numbers = np.array([0, -1, 0, -1], dtype=np.int32)
    lengths, state = np.zeros(1, dtype=np.int32), np.array([0, 1, 0], dtype=np.int64)
    none32, none64 = np.empty(0, dtype=np.int32), np.zeros(2, dtype=np.int64)
    one = np.ones(1, dtype=np.int32)
    taken = kernel.gather(
        numbers, 0, one, none64, none32, np.ones(1, dtype=np.int64), lengths, state, none32, np.empty(0, np.int64),
        none32, one.copy(), one.copy(), one.copy(),
    )  # fmt: skip
    assert (taken, lengths.tolist(), state[0]) == (2, [1], 1)
