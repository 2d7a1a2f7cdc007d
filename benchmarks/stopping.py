"""How often does the stop rule of `clirbench watch` err over a whole training, and how many checkpoints are wasted?

    python -m benchmarks.stopping --worlds 50 --steps 60 120 --runs 1 2 5
    python -m benchmarks.stopping --kinds dropped --steps 200 --shape 0.6       # the learning rate drops at step 120
    python -m benchmarks.stopping --sentences

The rule looks after every checkpoint, from the twelfth on, until it says stop. It errs where one of the checkpoints
within its horizon is better than the best before by more than the gain it named. Wasted: checkpoints after the best.

`--sentences`: what is said after a half, three quarters and nine tenths of the training, and how often it is true.
"past the peak": the last checkpoint is worse than the best so far by more than the gain. "no gain since step N": none
since is better than that at N by more than the gain. "go on" promises nothing: it is said wherever neither is sure.
"""

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from benchmarks.sweep_worlds import KINDS, SweepRecipe
from clirbench.labs.watching.stopping import FEWEST, outlook


@dataclass(frozen=True)
class Ended:
    """Where the rule stopped (0: never), whether that was an error, and how many checkpoints came after the best."""

    at: int
    erred: bool
    wasted: int


def ended(recipe: SweepRecipe, rng: np.random.Generator) -> Ended:
    """One training, watched until the rule says stop."""
    world = recipe.draw(rng)
    shape = (recipe.runs, recipe.steps)
    values = world.per_topic.reshape(*shape, -1).mean(axis=0)
    truth = world.true_y.reshape(shape).mean(axis=0)
    step = np.arange(1.0, recipe.steps + 1)
    for n in range(FEWEST, recipe.steps + 1):
        found = outlook(values[:n], step[:n])
        if found is not None and found.stop:
            later = truth[n : n + found.horizon]
            erred = bool(len(later)) and bool(later.max() > truth[:n].max() + found.gain)
            return Ended(n, erred, n - 1 - int(truth.argmax()))
    return Ended(0, False, recipe.steps - 1 - int(truth.argmax()))


def said(recipe: SweepRecipe, rng: np.random.Generator) -> Iterator[tuple[str, bool]]:
    """The sentences of three looks at one training, without the step, and whether each is true."""
    world = recipe.draw(rng)
    shape = (recipe.runs, recipe.steps)
    values, truth = world.per_topic.reshape(*shape, -1).mean(axis=0), world.true_y.reshape(shape).mean(axis=0)
    for n in (recipe.steps // 2, recipe.steps * 3 // 4, recipe.steps * 9 // 10):
        found = outlook(values[:n], np.arange(1.0, n + 1))
        assert found is not None
        best = int(found.best) - 1
        if found.verdict == "past the peak":
            yield found.verdict, bool(truth[n - 1] < truth[:n].max() - found.gain)
        else:
            since = bool(truth[best:n].max() <= truth[best] + found.gain)
            yield found.verdict.partition(" since")[0], since or not found.stop


def sentences(recipe: SweepRecipe, rng: np.random.Generator, worlds: int) -> str:
    counted = Counter(pair for _ in range(worlds) for pair in said(recipe, rng))
    cells = []
    for verdict in ("go on", "no gain", "past the peak"):
        true, n = counted[verdict, True], counted[verdict, True] + counted[verdict, False]
        cells.append(f"{n}" if verdict == "go on" or not n else f"{n}, {true / n:.2f} true")
    return "\t".join(cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=50)
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    parser.add_argument("--steps", type=int, nargs="+", default=[60])
    parser.add_argument("--runs", type=int, nargs="+", default=[1, 2, 5])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=np.inf, help="of processor time for a row, at most")
    parser.add_argument("--shape", type=float, help="of every curve; default: drawn")
    parser.add_argument("--sentences", action="store_true")
    options = parser.parse_args()
    if options.sentences:
        for kind, runs in product(options.kinds, options.runs):
            recipe = SweepRecipe(kind=kind, runs=runs, steps=60, shape=options.shape)
            rng = np.random.default_rng([options.seed, KINDS.index(kind), runs])
            print(kind, runs, sentences(recipe, rng, options.worlds), sep="\t", flush=True)
        return
    print("kind steps runs worlds error stopped at wasted seconds", sep="\t", flush=True)
    for kind in options.kinds:
        for steps in options.steps:
            for runs in options.runs:
                begun = time.process_time()
                recipe = SweepRecipe(kind=kind, runs=runs, steps=steps, shape=options.shape)
                rng = np.random.default_rng([options.seed, KINDS.index(kind), steps, runs])
                found: list[Ended] = []
                while len(found) < options.worlds and time.process_time() - begun < options.seconds:
                    found.append(ended(recipe, rng))
                stopped = [one for one in found if one.at]
                print(
                    kind, steps, runs, len(found),
                    f"{np.mean([one.erred for one in found]):.3f}",
                    f"{len(stopped) / len(found):.2f}",
                    f"{np.median([one.at for one in stopped]) if stopped else np.nan:.0f}",
                    f"{np.median([one.wasted for one in found]):.0f}",
                    f"{time.process_time() - begun:.0f}",
                    sep="\t", flush=True,
                )  # fmt: skip


if __name__ == "__main__":
    main()
