"""What true values of systems may have in common: a unit, what all metrics say, a curve along training."""

from collections.abc import Sequence

import numpy as np

from clirbench.statistics.model.posterior import CommonPart
from clirbench.statistics.vectorised import ranks
from clirbench.types import Doubles

SMOOTH = (0.05, 0.15, 0.5)
ROUGH = (0.03, 0.1, 0.3)
"""Lengths over which curves and the wandering of a run keep their level, as shares of the whole training."""


def same(labels: "Sequence[str] | np.typing.NDArray[np.int64]") -> Doubles:
    """(n, n): 1 where two systems carry the same label."""
    column = np.asarray(labels)
    return np.asarray(column[:, None] == column[None, :], dtype=np.float64)


def unit_part(labels: "Sequence[str] | np.typing.NDArray[np.int64]") -> list[CommonPart]:
    """Systems of one unit are alike; nothing where all labels are the same or all differ."""
    groups = len(set(np.asarray(labels).tolist()))
    return [CommonPart("unit", (same(labels),))] if 1 < groups < len(labels) else []


def metrics_part(columns: Doubles) -> list[CommonPart]:
    """How all metrics (k, n), more is better, bear on the truth together: by their mean, or each with its own weight.

    Weights are normal with one variance (ridge, the penalty left to the data). Scores are taken as normal scores of
    their ranks, so that no monotone transform of a metric changes anything. Constant and incomplete columns are left
    out. **Source:** Hoerl and Kennard 1970; van der Waerden 1952.
    """
    kept = columns[np.isfinite(columns).all(axis=1)]
    kept = kept[kept.std(axis=1) > 0] if len(kept) else kept
    if not len(kept):
        return []
    standard = _normal_scores(kept)
    middle = standard.mean(axis=0)
    return [CommonPart("metrics", (np.outer(middle, middle), standard.T @ standard))]


def _normal_scores(columns: Doubles) -> Doubles:
    """Normal quantiles of mid-ranks / (n + 1), standardised."""
    from scipy.special import ndtri

    found = ndtri(ranks(columns) / (columns.shape[1] + 1))
    return np.asarray(found / found.std(axis=1, keepdims=True))


def curve_parts(position: Doubles, runs: "Sequence[str] | np.typing.NDArray[np.int64]") -> list[CommonPart]:
    """Training curves over `position` (n,) > 0 (steps): shared by all runs, and each run's wandering of its own.

    `learning`: combinations of t, log t and 1 - exp(-k t), k = 3, 10, 30, with t = position / largest; `curve`: a
    smooth function of t (Matern 3/2) or one that may jump (a random walk, as where the learning rate drops);
    `run`: each run's own level, `wander`: and what it adds to the curve, keeping its level over a while (Matern 1/2).
    **Source:** Rasmussen and Williams 2006, 4.2.
    """
    t = position / position.max()
    apart = np.abs(t[:, None] - t[None, :])
    basis = np.stack([t, np.log(t), *(1 - np.exp(-k * t) for k in (3, 10, 30))])
    basis = (basis - basis.mean(axis=1, keepdims=True)) / np.maximum(basis.std(axis=1, keepdims=True), 1e-12)
    smooth = [(1 + np.sqrt(3) * apart / length) * np.exp(-np.sqrt(3) * apart / length) for length in SMOOTH]
    parts = [
        CommonPart("learning", (basis.T @ basis,)),
        CommonPart("curve", (*smooth, np.minimum(t[:, None], t[None, :]))),
    ]
    mine = same(runs)
    parts.append(CommonPart("wander", tuple(mine * np.exp(-apart / length) for length in ROUGH)))
    return parts + ([CommonPart("run", (mine,))] if (mine == 0).any() else [])


def noise_structure(
    unit: "Sequence[str] | np.typing.NDArray[np.int64] | None" = None, position: Doubles | None = None
) -> list[Doubles]:
    """Matrices that the noise of topics may be made of, beside the identity: same unit, neighbouring steps.

    With `position` (n,) units are training runs: neighbours in step are alike, of one run and of different ones.
    """
    if unit is None:
        return []
    mine = same(unit)
    found = [mine] if (mine == 0).any() and mine.sum() > len(mine) else []
    if position is not None:
        t = position / position.max()
        near = [np.exp(-np.abs(t[:, None] - t[None, :]) / length) for length in (*ROUGH, 1.0)]
        found += near + ([mine * kernel for kernel in near] if found else [])
    return found
