"""People's scores of single segments: read, and resampled into means of system scores."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from clirbench.errors import InputError, UnknownName
from clirbench.files.tables import LARGEST, number, read_table
from clirbench.types import Doubles

FILE = "human-seg.tsv"


@dataclass(frozen=True, eq=False)
class HumanSegments:
    """Scores (systems, segments), more is better, NaN where a segment was not judged; systems that have any score."""

    systems: tuple[str, ...]
    scores: Doubles
    column: str
    unknown: tuple[str, ...] = ()

    @property
    def means(self) -> Doubles:
        """(systems,): the mean over the judged segments of each system."""
        return np.asarray(np.nanmean(self.scores, axis=1))

    def resampled(self, weights: Doubles) -> Doubles:
        """(samples, systems): means under every row of segment weights; NaN where a sample holds no judged segment."""
        known = np.isfinite(self.scores)
        sums = weights @ np.where(known, self.scores, 0.0).T
        counts = weights @ known.T.astype(np.float64)
        means: Doubles = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
        return means


def read_human(path: Path, systems: Sequence[str], n_segments: int, column: str | None = None) -> HumanSegments:
    """Segment scores of the given systems: columns `system`, `line` (from 1) and a score (`column`: the third).

    Several scores of one segment are averaged. Systems that are not among `systems` are left out and named. Raises
    `InputError` for lines outside the test set (the first ten are listed) or cells that are no numbers, `UnknownName`
    for a column that is not there.
    """
    file = read_table(path)
    for name in ("system", "line"):
        if name not in file.header:
            raise InputError(f"{path}: no column `{name}`; columns: {', '.join(file.header)}")
    others = [name for name in file.header if name not in ("system", "line")]
    if not others:
        raise InputError(f"{path}: no column of scores beside `system` and `line`")
    chosen = column or others[0]
    if chosen not in others:
        raise UnknownName(f"column of {path}", chosen, others)
    place = {name: i for i, name in enumerate(systems)}
    sums, counts = np.zeros((len(systems), n_segments)), np.zeros((len(systems), n_segments))
    outside: list[str] = []
    unknown: dict[str, None] = {}
    for row, record in zip(file.numbers, file.records(), strict=True):
        place_in_text, score = number(record["line"]), number(record[chosen])
        if place_in_text is None or score is None or not abs(score) <= LARGEST or not place_in_text.is_integer():
            raise InputError(f"{path}: line {row}: line and {chosen} must be numbers, a line a whole one")
        line = int(place_in_text)
        if not 1 <= line <= n_segments:
            outside.append(f"{record['system']} {line}")
        elif record["system"] not in place:
            unknown[record["system"]] = None
        else:
            sums[place[record["system"]], line - 1] += score
            counts[place[record["system"]], line - 1] += 1
    if outside:
        more = f" and {len(outside) - 10} more" if len(outside) > 10 else ""
        raise InputError(
            f"{path}: scores of segments that the test set of {n_segments} lines does not have: "
            f"{', '.join(outside[:10])}{more}"
        )
    kept = np.flatnonzero(counts.any(axis=1)).tolist()
    if not kept:
        raise InputError(f"{path}: scores none of the systems of this run; it has {', '.join(list(unknown)[:10])}")
    scores = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    return HumanSegments(tuple(systems[i] for i in kept), scores[kept], chosen, tuple(unknown))
