"""How often does the stop rule of `clirbench watch` err over a whole training, and what does it lose and waste?

    python -m benchmarks.stopping [--worlds rise] [--draws 1000] [--topics 100] [--length 0: new noise each time]

A world is a curve of the true measure over 50 checkpoints. All but `peak` begin steep:

    rise        then .0015 a checkpoint to the end
    cycles      the same, with waves of .01 and 12 checkpoints, as of a learning rate that goes up and down
    power       a power law: .75 - .4 / sqrt(checkpoint)
    peak        rises by .0073 a checkpoint until the 20th, then falls by .004: over-training
    flat        nothing from checkpoint 7 on

and two for which no rule that looks back can be right:

    plateau     flat from checkpoint 14 to 28, then rises again
    restart     rises slowly; at checkpoint 26 the learning rate restarts: down by .06, back after eight, then higher

Each checkpoint's true value is off its curve by a draw of its own (SD `JITTER`). Its value on a topic has noise, of
which a part is its own and a part keeps its level over about eight checkpoints (`--length`). Sizes are those of average
precision on 150 topics of the Europarl ladder, systems of neighbouring training sizes (SD of a topic's difference .13
to .24) and, as checkpoints lie closer, .14 and .20; how topics differ in that (`VOLATILITY`, quantiles) likewise.

The rule looks after every checkpoint until it says stop. Forgone: the best of the whole curve is more than `WORTH`
above the best until it stopped. Lost: that difference (mean). Wasted: checkpoints after the best (median). True: the
sentence at the stop holds for the curve so far; "no gain since step N": the last checkpoint is above that at N by no
more than the gain; "past the peak": the last checkpoint is below the best.
"""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from clirbench.labs.watching.stopping import FEWEST, outlook
from clirbench.types import Doubles

CHECKPOINTS = 50
SEED = 20_261_124
WORTH = 0.01
JITTER = 0.004
OWN, WANDER, LENGTH = 0.08, 0.12, 8.0
VOLATILITY = (0.24, 0.28, 0.33, 0.38, 0.48, 0.63, 0.81, 1.08, 1.57, 2.15)


def _rise(k: Doubles, level: float = 0.6) -> Doubles:
    return np.asarray(level - 0.42 * np.exp(-(k - 1) / 2.4) + 0.0015 * k)


def _flat(k: Doubles) -> Doubles:
    return np.asarray(0.65 - 0.49 * np.maximum(7 - k, 0) ** 2 / 36)


def _restart(k: Doubles) -> Doubles:
    dip = np.where(k >= 26, 0.06 * np.maximum(34 - k, 0) / 8, 0)
    return np.asarray(_rise(k, 0.58) - dip + 0.003 * np.maximum(k - 30, 0))


CURVES: Mapping[str, Callable[[Doubles], Doubles]] = {
    "rise": _rise,
    "cycles": lambda k: np.asarray(_rise(k) + 0.01 * np.sin(2 * np.pi * k / 12)),
    "power": lambda k: np.asarray(0.75 - 0.4 / np.sqrt(k)),
    "peak": lambda k: np.asarray(0.45 + 0.0073 * np.minimum(k, 20) - 0.004 * np.maximum(k - 20, 0)),
    "flat": _flat,
    "plateau": lambda k: np.asarray(_flat(k / 2) + 0.0036 * np.maximum(k - 28, 0)),
    "restart": _restart,
}
RISING = ("rise", "cycles", "power")


def training(world: str, rng: np.random.Generator, topics: int = 50, length: float = LENGTH) -> tuple[Doubles, Doubles]:
    """(checkpoints,) true values, and (checkpoints, topics) measured ones, of one draw."""
    place = np.arange(1.0, CHECKPOINTS + 1)
    truth = CURVES[world](place) + JITTER * rng.normal(size=len(place))
    apart = np.abs(place[:, None] - place[None, :])
    root = np.linalg.cholesky(OWN**2 * np.eye(len(place)) + WANDER**2 * np.exp(-apart / max(length, 1e-9)))
    noise = root @ rng.normal(size=(len(place), topics)) * rng.choice(VOLATILITY, size=topics)
    return truth, truth[:, None] + 0.25 * rng.normal(size=topics) + noise


@dataclass(frozen=True)
class Ended:
    """One training, watched until the rule stopped it: `at` (0: never), and what came of it (module docstring)."""

    at: int
    lost: float
    wasted: int
    true: bool


def watched(world: str, rng: np.random.Generator, topics: int = 50, length: float = LENGTH) -> Ended:
    """A draw of a world, watched after every checkpoint until the rule says stop."""
    _, values = training(world, rng, topics, length)
    n = len(values)
    step = np.arange(1.0, n + 1)
    curve = CURVES[world](step)
    for seen in range(FEWEST, n + 1):
        state = outlook(values[:seen], step[:seen])
        if state is not None and state.stop:
            last, best = float(curve[seen - 1]), float(curve[:seen].max())
            since = last <= curve[int(state.since) - 1] + state.gain
            true = last < best if state.verdict == "past the peak" else bool(since)
            return Ended(seen, float(curve.max()) - best, seen - 1 - int(curve.argmax()), true)
    return Ended(0, 0.0, n - 1 - int(curve.argmax()), True)


def trainings(world: str, draws: int, topics: int, seed: int = SEED, length: float = LENGTH) -> list[Ended]:
    """Many draws; each has a generator of its own, so that more draws change none."""
    place = list(CURVES).index(world)
    return [watched(world, np.random.default_rng([seed, place, topics, i]), topics, length) for i in range(draws)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", nargs="+", default=list(CURVES), choices=list(CURVES))
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--topics", type=int, nargs="+", default=[50, 150])
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--length", type=float, default=LENGTH, help="checkpoints over which noise keeps its level")
    options = parser.parse_args()
    print(f"| world | topics | stopped by 34 | at all | at (median) | > {WORTH} forgone | lost | wasted | true |")
    print("| --- |" + " ---: |" * 8)
    for world in options.worlds:
        for topics in options.topics:
            ends = trainings(world, options.draws, topics, options.seed, options.length)
            at = np.array([end.at for end in ends if end.at])
            shares = (np.sum(at <= 34) / len(ends), len(at) / len(ends))
            forgone = np.mean([end.lost > WORTH for end in ends])
            lost, wasted = np.mean([end.lost for end in ends]), np.median([end.wasted for end in ends])
            true = f"{np.mean([end.true for end in ends if end.at]):.3f}" if len(at) else "-"
            median = f"{np.median(at):.0f}" if len(at) else "-"
            cells = (*(f"{share:.3f}" for share in shares), median, f"{forgone:.3f}", f"{lost:.4f}", f"{wasted:.0f}")
            print("|", " | ".join((world, str(topics), *cells, true)), "|", flush=True)


if __name__ == "__main__":
    main()
