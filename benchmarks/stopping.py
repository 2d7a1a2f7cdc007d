"""How often does the stop rule of `clirbench watch` err over a whole training, and how many checkpoints are wasted?

    python benchmarks/stopping.py --worlds 50 --steps 60 120 --runs 1 2 5

The rule looks after every checkpoint, from the twelfth on, until it says stop. It errs where one of the checkpoints
within its horizon is better than the best before by more than the gain it named. Wasted: checkpoints after the best.
"""

import argparse
import time
from dataclasses import dataclass

import numpy as np

from benchmarks.sweep_worlds import KINDS, SweepRecipe
from clirbench.statistics.model.stopping import FEWEST, outlook


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=50)
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    parser.add_argument("--steps", type=int, nargs="+", default=[60])
    parser.add_argument("--runs", type=int, nargs="+", default=[1, 2, 5])
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print("kind steps runs worlds error stopped at wasted seconds", sep="\t", flush=True)
    for kind in options.kinds:
        for steps in options.steps:
            for runs in options.runs:
                begun = time.process_time()
                recipe = SweepRecipe(kind=kind, runs=runs, steps=steps)
                rng = np.random.default_rng([options.seed, KINDS.index(kind), steps, runs])
                found = [ended(recipe, rng) for _ in range(options.worlds)]
                stopped = [one for one in found if one.at]
                print(
                    kind, steps, runs, options.worlds,
                    f"{np.mean([one.erred for one in found]):.3f}",
                    f"{len(stopped) / len(found):.2f}",
                    f"{np.median([one.at for one in stopped]) if stopped else np.nan:.0f}",
                    f"{np.median([one.wasted for one in found]):.0f}",
                    f"{time.process_time() - begun:.0f}",
                    sep="\t", flush=True,
                )  # fmt: skip


if __name__ == "__main__":
    main()
