"""`clirbench store [CACHE]`: what the store holds, by experiment and step, and how to make room.

Without `--prune` nothing is removed. With it go the results that no run's plan under RUNS names; with `--older DAYS`
those instead that were not used for so long. What is removed is computed again when a run needs it. While a run uses
the store nothing is removed.
"""

import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from clirbench.commands.base import command_parser, run_command
from clirbench.errors import InputError, StoreError
from clirbench.store.plan import PLAN, read_plan
from clirbench.store.store import Store

DAY = 86_400.0
UNNAMED = "(named by no run)"


@dataclass(frozen=True)
class Held:
    """One result in the store: its key, bytes, and seconds since it was last written or read."""

    path: Path
    size: int
    unused: float

    @property
    def key(self) -> str:
        return self.path.stem


def stored_results(store: Path) -> list[Held]:
    """Every result; raises `InputError` where there is no store."""
    if not store.is_dir():
        raise InputError(f"{store}: no store there; it is in the folder that paths.cache names")
    now = time.time()
    found = []
    for path in sorted(store.glob("??/*.npz")):
        if path.is_file() and not path.is_symlink():
            status = path.stat()
            found.append(Held(path, status.st_size, now - max(status.st_mtime, status.st_atime)))
    return found


def results_in_plans(runs: Path) -> Mapping[str, tuple[str, str]]:
    """(run's folder, step) by the key that its plan names; raises `InputError` where a plan cannot be read."""
    if not runs.is_dir():
        raise InputError(f"{runs}: no such folder; say where the folders of runs lie, --runs DIR")
    return {
        row.key: (plan.parent.name, row.step)
        for plan in sorted(runs.rglob(PLAN))
        for row in read_plan(plan)[1]
        if row.key
    }


def summary(found: Sequence[Held], names: Mapping[str, tuple[str, str]]) -> Iterable[str]:
    """One line for each run and step, the largest first, then all together."""
    groups: dict[tuple[str, str], list[Held]] = {}
    for one in found:
        groups.setdefault(names.get(one.key, (UNNAMED, "")), []).append(one)
    for (run, step), members in sorted(groups.items(), key=lambda group: -sum(one.size for one in group[1])):
        yield f"{megabytes(members)}  {len(members):>6}  {run}  {step}".rstrip()
    yield f"{megabytes(found)}  {len(found):>6}  in all"


def megabytes(found: Iterable[Held]) -> str:
    return f"{sum(one.size for one in found) / 1e6:10.1f} MB"


def prunable(found: Sequence[Held], names: Mapping[str, tuple[str, str]], days: float | None) -> list[Held]:
    """What may go: named by no run or, where `days` are given, unused for so long."""
    return [one for one in found if (one.key not in names if days is None else one.unused > days * DAY)]


def arguments_of() -> ArgumentParser:
    parser = command_parser("store", __doc__)
    parser.add_argument("cache", type=Path, nargs="?", default=Path("runs/.cache"), metavar="CACHE", help="paths.cache")
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="where the folders of runs lie (default runs)")
    parser.add_argument("--prune", action="store_true", help="remove what no run names")
    parser.add_argument("--older", type=float, metavar="DAYS", help="with --prune: what was not used for so long")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; exit status 0, or 1 where something cannot be read or removed."""
    return run_command(arguments_of(), arguments, _store)


def _store(options: Namespace) -> int:
    if options.older is not None and not options.prune:
        raise InputError("--older DAYS says what --prune removes; add --prune")
    store = Store(options.cache / "store")
    found = stored_results(store.path)
    names = results_in_plans(options.runs)
    if not options.prune:
        for line in summary(found, names):
            print(line)
        return 0
    if users := store.users():
        raise StoreError(f"{store.path}: in use by {', '.join(users)}; nothing was removed: wait until the runs end")
    going = prunable(found, names, options.older)
    for one in going:
        try:
            one.path.unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"{one.path}: cannot be removed ({error.strerror})") from None
    print(f"removed {len(going)} results, {megabytes(going).strip()}; {len(found) - len(going)} are left")
    return 0


if __name__ == "__main__":
    sys.exit(main())
