"""Systems along training: their order by run and step, and what is left of a tau without the common rise."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, nan

import numpy as np

from clirbench.errors import InputError, UnknownName
from clirbench.files.tables import number
from clirbench.scoreboard import Scoreboard
from clirbench.statistics.coefficients import kendall
from clirbench.statistics.evidence import Evidence, panels
from clirbench.statistics.vectorised import kendall_grid
from clirbench.types import Doubles, Ints

SMALLEST = 4
"""Changes from step to step that a p-value of their agreement needs."""


@dataclass(frozen=True, eq=False)
class Series:
    """One training run: its systems (indices into the board) at each step, steps ascending.

    `steps`: (n,) distinct; `members[i]`: the systems of step i (more than one where a step has replicates).
    """

    name: str
    steps: Doubles
    members: tuple[Ints, ...]

    def means(self, column: Doubles) -> Doubles:
        """(n,): the column averaged over the replicates of every step."""
        return np.array([column[rows].mean() for rows in self.members])


def has_steps(board: Scoreboard, step: str = "step") -> bool:
    """Whether the systems carry training steps, at least two different ones."""
    return len({text.strip() for text in board.metadata.get(step, ())} - {""}) > 1


def series_of(evidence: Evidence, step: str = "step", series: str = "") -> list[Series]:
    """The training runs: systems grouped by the metadata column `series` (none: all are one run), ordered by `step`.

    Systems without a step belong to none. Systems of one run with the same step are its replicates (seeds).
    Raises `UnknownName` for a column that does not exist, `InputError` for a step that is no number.
    """
    metadata = evidence.board.metadata
    for column in filter(None, (step, series)):
        if column not in metadata:
            raise UnknownName("metadata column", column, metadata)
    labels = metadata[series] if series else ("",) * len(evidence.systems)
    grouped: dict[str, dict[float, list[int]]] = {}
    for row, (label, text) in enumerate(zip(labels, metadata[step], strict=True)):
        if text.strip():
            grouped.setdefault(label, {}).setdefault(_number(text, evidence.systems[row], step), []).append(row)
    return [_series(label, by_step) for label, by_step in grouped.items()]


def _series(label: str, by_step: Mapping[float, Sequence[int]]) -> Series:
    steps = sorted(by_step)
    return Series(label, np.array(steps), tuple(np.array(by_step[step], dtype=np.int64) for step in steps))


def _number(text: str, system: str, step: str) -> float:
    value = number(text)
    if value is None or not isfinite(value):
        raise InputError(f"system {system}: {step} {text!r} is not a number; write 1000, not 1,000 or 1_000")
    return value


@dataclass(frozen=True)
class Trend:
    """The agreement of one metric and measure along training.

    `value`, `p_value`: the plain tau over all checkpoints; `significant` is always `trend`. `tau_windows`: mean tau
    within `window` neighbouring steps. `tau_changes`: tau of the changes from step to step, `p_changes` its
    two-sided p when blocks of `block` changes are put in random order (`samples` times), which keeps what
    neighbouring changes have to do with each other. `noise_metric`, `noise_measure`: the noise floor, SD among
    replicates of a step (NaN without replicates).
    """

    measure: str
    metric: str
    value: float
    p_value: float
    significant: str
    tau_windows: float
    window: int
    tau_changes: float
    p_changes: float
    block: int
    noise_metric: float
    noise_measure: float
    n_systems: int
    n_steps: int
    n_replicates: int
    samples: int
    seed: int
    note: str = ""


def trends(
    evidence: Evidence,
    *,
    step: str = "step",
    series: str = "",
    window: int = 5,
    block: int = 3,
    samples: int = 1999,
    seed: int = 0,
) -> list[Trend]:
    """A row for every measure and metric; none where systems carry no steps.

    Several training runs (`series`) are taken each by itself: windows are averaged over runs and changes pooled.
    Columns with holes are left out. Fewer than 4 changes have no p.
    """
    if not has_steps(evidence.board, step):
        return []
    part, _ = next(iter(panels(evidence)))
    runs = series_of(part, step, series)
    rows = np.concatenate([members for run in runs for members in run.members])
    return [
        _trend(runs, rows, measure, metric, part.x[m], part.y[k], window, block, samples, seed)
        for k, measure in enumerate(part.measure_names)
        for m, metric in enumerate(part.metric_names)
    ]


def _trend(
    runs: list[Series],
    rows: Ints,
    measure: str,
    metric: str,
    x: Doubles,
    y: Doubles,
    window: int,
    block: int,
    samples: int,
    seed: int,
) -> Trend:
    plain = kendall(x[rows], y[rows])
    within = [tau for run in runs for tau in _windows(run.means(x), run.means(y), window)]
    changes_x, changes_y = (np.concatenate([np.diff(run.means(column)) for run in runs]) for column in (x, y))
    changes = kendall(changes_x, changes_y)
    p = shuffled_blocks(changes_x, changes_y, block, samples, seed) if len(changes_x) >= SMALLEST else nan
    n_steps = sum(len(run.steps) for run in runs)
    replicates = max(len(members) for run in runs for members in run.members)
    return Trend(
        measure=measure,
        metric=metric,
        value=plain.value,
        p_value=plain.p_value,
        significant="trend",
        tau_windows=float(np.mean(within)) if within else nan,
        window=window,
        tau_changes=changes.value,
        p_changes=p,
        block=block,
        noise_metric=noise_floor(runs, x),
        noise_measure=noise_floor(runs, y),
        n_systems=len(rows),
        n_steps=n_steps,
        n_replicates=replicates,
        samples=samples,
        seed=seed,
        note=plain.note or changes.note,
    )


def _windows(x: Doubles, y: Doubles, window: int) -> list[float]:
    """tau-b of every `window` neighbouring steps (all steps where there are fewer); constant windows give none."""
    size = min(window, len(x))
    if size < 2:
        return []
    view = np.lib.stride_tricks.sliding_window_view
    taus = kendall_grid(view(x, size)[:, None, :], view(y, size)[:, None, :])[:, 0, 0]
    return [float(tau) for tau in taus if not np.isnan(tau)]


def shuffled_blocks(x: Doubles, y: Doubles, block: int, samples: int, seed: int) -> float:
    """(1 + hits) / (1 + samples): how often |tau| of x with block-shuffled y reaches that of x with y.

    y is cut into blocks of `block` neighbours from a random offset (it is closed to a circle) and the blocks are put
    in random order. NaN where a column is constant. **Source:** Politis and Romano 1992, the circular block idea.
    """
    rng = np.random.default_rng([seed, len(x)])
    orders = np.empty((samples + 1, len(y)), dtype=np.int64)
    orders[0] = np.arange(len(y))
    for sample in range(1, samples + 1):
        circle = np.roll(orders[0], rng.integers(len(y)))
        blocks = [circle[at : at + block] for at in range(0, len(y), block)]
        orders[sample] = np.concatenate([blocks[i] for i in rng.permutation(len(blocks))])
    taus = np.abs(kendall_grid(np.broadcast_to(x, (samples + 1, 1, len(x))), y[orders][:, None, :])[:, 0, 0])
    if np.isnan(taus[0]):
        return nan
    return float((1 + (taus[1:] >= taus[0] - 1e-12).sum()) / (1 + samples))


def noise_floor(runs: list[Series], column: Doubles) -> float:
    """SD among replicates of a step, pooled over steps: sqrt(sum of squares within / degrees of freedom)."""
    held = [column[members] for run in runs for members in run.members if len(members) > 1]
    freedom = sum(len(values) - 1 for values in held)
    return float(np.sqrt(sum(((values - values.mean()) ** 2).sum() for values in held) / freedom)) if freedom else nan
