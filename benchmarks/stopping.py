"""How often does the stop rule of `clirbench watch` err over a whole training, and what does it lose and waste?

    python -m benchmarks.stopping                          # all worlds, 400 draws each, 50 and 150 topics
    python -m benchmarks.stopping --worlds rising --draws 1000 --topics 100 --stretch 2

A world is a curve of true MAP over 25 checkpoints (`--stretch 2`: 50, half as fast). All but `noise` begin steep:

    rising      steep, then .0073 a checkpoint to the end, where it is .754
    flat        steep, then nothing from checkpoint 7 on
    drop        rises until checkpoint 12, then falls: over-training
    plateau     flat from checkpoint 7 to 14, then rises again
    restart     rises slowly; at checkpoint 13 the learning rate restarts: down by .06, back after four, then higher
    log         grows as the logarithm of the checkpoint's number
    noise       nothing ever happens

Each checkpoint's true value is off its curve by a draw of its own (SD `JITTER`). Its value on a topic has noise, of
which a part is its own and a part keeps its level over about four checkpoints. The sizes are those of
average precision on 150 topics of the Europarl ladder, between systems of neighbouring training sizes (SD of a
topic's difference .13 to .24; of distant systems .25 to .28) and, since checkpoints lie closer, .14 and .20; how much
topics differ in that (`VOLATILITY`, quantiles) is as measured there.

The rule looks after every checkpoint until it says stop. Early: the best of the whole curve is more than `WORTH` above
the best until it stopped. Lost: that difference (mean). Wasted: checkpoints after the best (median). True: the sentence
at the stop holds for the curve so far; "no gain since step N": the last checkpoint is above that at N by no more than
the gain; "past the peak": the last checkpoint is below the best.
"""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clirbench.labs.watching.stopping import FEWEST, outlook

Doubles = NDArray[np.float64]
CHECKPOINTS = 25
SEED = 20_261_122
WORTH = 0.02
JITTER = 0.004
OWN, WANDER, LENGTH = 0.08, 0.12, 4.0
VOLATILITY = (0.24, 0.28, 0.33, 0.38, 0.48, 0.63, 0.81, 1.08, 1.57, 2.15)


def _steep(k: Doubles, level: float) -> Doubles:
    return np.asarray(level - 0.42 * np.exp(-(k - 1) / 1.2))


def _flat(k: Doubles) -> Doubles:
    return np.asarray(0.65 - 0.49 * np.maximum(7 - k, 0) ** 2 / 36)


def _restart(k: Doubles) -> Doubles:
    dip = np.where(k >= 13, 0.06 * np.maximum(17 - k, 0) / 4, 0)
    return np.asarray(_steep(k, 0.58) + 0.003 * k - dip + 0.006 * np.maximum(k - 15, 0))


CURVES: Mapping[str, Callable[[Doubles], Doubles]] = {
    "rising": lambda k: np.asarray(_steep(k, 0.754) - 0.0073 * (CHECKPOINTS - k)),
    "flat": _flat,
    "drop": lambda k: np.asarray(_steep(k, 0.6) + 0.0073 * np.minimum(k, 12) - 0.012 * np.maximum(k - 12, 0)),
    "plateau": lambda k: np.asarray(_flat(k) + 0.0073 * np.maximum(k - 14, 0)),
    "restart": _restart,
    "log": lambda k: np.asarray(0.3 + 0.13 * np.log(k)),
    "noise": lambda k: np.full(len(k), 0.5),
}


def training(world: str, rng: np.random.Generator, topics: int = 50, stretch: int = 1) -> tuple[Doubles, Doubles]:
    """(checkpoints,) true values, and (checkpoints, topics) measured ones, of one draw."""
    place = 1 + np.arange(CHECKPOINTS * stretch) / stretch
    truth = CURVES[world](place) + JITTER * rng.normal(size=len(place))
    apart = np.abs(place[:, None] - place[None, :])
    root = np.linalg.cholesky(OWN**2 * np.eye(len(place)) + WANDER**2 * np.exp(-apart / LENGTH))
    noise = root @ rng.normal(size=(len(place), topics)) * rng.choice(VOLATILITY, size=topics)
    return truth, truth[:, None] + 0.25 * rng.normal(size=topics) + noise


@dataclass(frozen=True)
class Ended:
    """One training, watched until the rule stopped it: `at` (0: never), and what came of it (module docstring)."""

    at: int
    lost: float
    wasted: int
    true: bool


def watched(world: str, rng: np.random.Generator, topics: int = 50, stretch: int = 1) -> Ended:
    """A draw of a world, watched after every checkpoint until the rule says stop."""
    _, values = training(world, rng, topics, stretch)
    n = len(values)
    curve, step = CURVES[world](1 + np.arange(n) / stretch), np.arange(1.0, n + 1)
    for seen in range(FEWEST, n + 1):
        state = outlook(values[:seen], step[:seen])
        if state is not None and state.stop:
            last, best = float(curve[seen - 1]), float(curve[:seen].max())
            since = last <= curve[int(state.since) - 1] + state.gain
            true = last < best if state.verdict == "past the peak" else bool(since)
            return Ended(seen, float(curve.max()) - best, seen - 1 - int(curve.argmax()), true)
    return Ended(0, 0.0, n - 1 - int(curve.argmax()), True)


def trainings(world: str, draws: int, topics: int, stretch: int = 1, seed: int = SEED) -> list[Ended]:
    """Many draws; each has a generator of its own, so that more draws change none."""
    place = list(CURVES).index(world)
    return [watched(world, np.random.default_rng([seed, place, topics, i]), topics, stretch) for i in range(draws)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", nargs="+", default=list(CURVES), choices=list(CURVES))
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--topics", type=int, nargs="+", default=[50, 150])
    parser.add_argument("--stretch", type=int, default=1)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    print("| world | topics | stopped by 17 | before 22 | at all | at (median) | early | lost | wasted | true |")
    print("| --- |" + " ---: |" * 9)
    for world in options.worlds:
        for topics in options.topics:
            ends = trainings(world, options.draws, topics, options.stretch, options.seed)
            at = np.array([end.at or np.inf for end in ends]) / options.stretch
            shares = (at <= 17, at < 22, np.isfinite(at), np.array([end.lost > WORTH for end in ends]))
            by_17, before_22, ever, early = (f"{share.mean():.3f}" for share in shares)
            stopped = at[np.isfinite(at)] * options.stretch
            median = f"{np.median(stopped):.0f}" if len(stopped) else "-"
            lost, wasted = np.mean([end.lost for end in ends]), np.median([end.wasted for end in ends])
            true = np.mean([end.true for end in ends if end.at] or [np.nan])
            cells = (
                world,
                topics,
                by_17,
                before_22,
                ever,
                median,
                early,
                f"{lost:.4f}",
                f"{wasted:.0f}",
                f"{true:.3f}",
            )
            print("|", " | ".join(map(str, cells)), "|", flush=True)


if __name__ == "__main__":
    main()
