"""What a look of `clirbench watch` costs: with nothing new, and with one more checkpoint.

    python -m benchmarks.watching ../shared/data/vocab-sweep/de-en/newstest2018

FOLDER holds reference.txt[.gz] and systems/. Checkpoints of three seeds are made from its last system, which loses
fewer words the longer it was trained and, late, more again. All but the last few are known before; then one more is
written before each look. Seconds of processor time of this process, which is the watch; its settings are the defaults.
"""

import argparse
import cProfile
import math
import os
import pstats
import random
import resource
import tempfile
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from clirbench.labs.watching.commands import watch
from clirbench.text import TextFile

SEEDS = 3


def checkpoints(folder: Path, steps: int) -> Iterator[tuple[str, str]]:
    """Name and text of each, in the order of training."""
    lines = TextFile(sorted((folder / "systems").iterdir())[-1]).lines()
    for step in range(1, steps + 1):
        t = step / steps
        lost = 0.5 * math.exp(-6 * t) + 0.6 * max(0.0, t - 0.6)
        for seed in range(SEEDS):
            # Neighbouring checkpoints lose the same words, mostly.
            chosen = random.Random(f"{seed} {step // 3}")
            kept = (" ".join(word for word in line.split() if chosen.random() > lost) or "x" for line in lines)
            yield f"seed{seed}_{step * 1000}.txt", "".join(f"{line}\n" for line in kept)


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    os.utime(path, (1e9, 1e9))


def timed(label: str, work: Callable[[], Any]) -> None:
    begun = time.process_time()
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
        work()
    print(label, f"{time.process_time() - begun:.2f} s", sep="\t", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=int, default=67)
    parser.add_argument("--new", type=int, default=4, help="checkpoints that come one by one")
    parser.add_argument("--profile", action="store_true", help="of the last new checkpoint")
    parser.add_argument("--at", type=Path, help="work there, and keep it")
    options = parser.parse_args()
    temporary = tempfile.TemporaryDirectory()  # goes with the process
    root = options.at or Path(temporary.name)
    reference = next(options.folder.glob("reference.txt*"))
    for name in ("data", "checkpoints"):
        (root / name).mkdir(parents=True, exist_ok=True)
    (root / "data" / reference.name).write_bytes(reference.read_bytes())
    made = list(checkpoints(options.folder, options.steps))
    watch.be_nice()
    overrides = (
        f"folder={root / 'data'}", "systems=checkpoints",
        f"systems.pattern='{root}/checkpoints/seed%seed%_%step%.txt'", f"paths.cache={root / 'cache'}",
        f"hydra.run.dir={root / 'watch'}",
    )  # fmt: skip
    for name, text in made[: -options.new]:
        write(root / "checkpoints" / name, text)
    for name, _ in made[-options.new :]:
        (root / "checkpoints" / name).unlink(missing_ok=True)
    looking = watch.Watching(Namespace(overrides=overrides, every=30, gain=None, horizon=None, measure=""))
    timed(f"{len(made) - options.new} checkpoints", looking.look)
    profile = cProfile.Profile()
    for at, (name, text) in enumerate(made[-options.new :], start=len(made) - options.new + 1):
        write(root / "checkpoints" / name, text)
        if options.profile and at == len(made):
            profile.enable()
        timed(f"the {at}th checkpoint", looking.look)
    profile.disable()
    looking.state = {}
    timed("nothing new, all files read", looking.look)
    timed("nothing new", looking.look)
    print("peak", f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB", sep="\t")
    if options.profile:
        pstats.Stats(profile).sort_stats("cumtime").print_stats(90)


if __name__ == "__main__":
    main()
