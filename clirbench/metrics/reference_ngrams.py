"""The n-grams of the references, against which every system's are counted; analysed once where memory allows it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from clirbench.metrics.tokens import Numbers, Offsets
from clirbench.types import Doubles

Tables = tuple[Offsets, NDArray[np.int64], NDArray[np.int32]]
BLOCK = 4096  # segments whose tables are made at a time
KEPT = 20_000_000  # n-grams of all references (some 400 MB of tables) above which tables are made at each use


@dataclass(frozen=True, eq=False)
class ReferenceNgrams:
    """References as symbols, and the tables of their n-grams where they are small enough to be kept.

    Line r * segments + s of `offsets` is reference r of segment s, as in `reference_tokens`.
    """

    symbols: Numbers
    offsets: Offsets
    n_references: int
    order: int
    kept: tuple[Tables, ...] | None = None

    def with_tables(self, most: int = KEPT) -> "ReferenceNgrams":
        """The same with its tables, unless they would take too much memory: of at most `most` n-grams."""
        if len(self.symbols) * self.order > most:
            return self
        return replace(self, kept=tuple(tables for _, tables in self.blocks()))

    @property
    def lengths(self) -> Offsets:
        """(references, segments): symbols of each."""
        return np.diff(self.offsets).reshape(self.n_references, -1)

    def blocks(self) -> Iterator[tuple[slice, Tables]]:
        """The segments of each block, and their n-grams as `compiled.ngrams` keeps them."""
        for number, begin in enumerate(range(0, self.lengths.shape[1], BLOCK)):
            yield slice(begin, begin + BLOCK), self.kept[number] if self.kept else self._tables(begin)

    def matches(self, symbols: Numbers, offsets: Offsets) -> Doubles:
        """Clipped matches of orders 1 to N of one system's lines: (segments, N)."""
        from clirbench.metrics.compiled.ngrams import count_matches

        found = [np.empty((0, self.order))]
        for block, tables in self.blocks():
            found.append(count_matches(symbols, offsets[block.start : block.stop + 1], self.order, *tables))
        return np.concatenate(found)

    def _tables(self, begin: int) -> Tables:
        from clirbench.metrics.compiled.ngrams import build_tables

        n_segments = self.lengths.shape[1]
        ends = min(begin + BLOCK, n_segments)
        parts = [self.offsets[r * n_segments + begin : r * n_segments + ends + 1] for r in range(self.n_references)]
        symbols = np.concatenate([self.symbols[part[0] : part[-1]] for part in parts])
        offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(np.concatenate([np.diff(p) for p in parts]))])
        made: Tables = build_tables(symbols, offsets, self.n_references, self.order)
        return made
