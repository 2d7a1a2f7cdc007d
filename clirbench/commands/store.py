"""`clirbench store [CACHE]`: what the store holds, by run, and how to make room.

Without `--prune` nothing is removed. With it go the parts of which no run's plan under RUNS names a result. What is
removed is computed again when a run needs it.
While a run uses the store nothing is removed.
"""

from argparse import Namespace
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from clirbench.commands.base import command_parser, run_command
from clirbench.errors import InputError, StoreError
from clirbench.pages import fixed
from clirbench.store.cached import PLAN, read_plan
from clirbench.store.store import Store

UNNAMED = "(named by no run)"


def stored_parts(store: Store, runs: Mapping[str, str]) -> dict[str, list[Path]]:
    """Every part, by the run that names a result in it; `runs`: by FOLDER/KEY. Raises `InputError` without a store."""
    if not store.path.is_dir():
        raise InputError(f"{store.path}: no store there; it is in the folder that paths.cache names")
    found: dict[str, list[Path]] = {}
    for path in sorted(store.path.glob("??/*/*.part")):
        if path.is_file() and not path.is_symlink():
            named = (runs.get(f"{path.parent.name}/{key}") for key in store.head(path))
            found.setdefault(next(filter(None, named), UNNAMED), []).append(path)
    return found


def results_in_plans(runs: Path) -> dict[str, str]:
    """The run's folder by the key that its plan names; raises `InputError` where a plan cannot be read."""
    if not runs.is_dir():
        raise InputError(f"{runs}: no such folder; say where the folders of runs lie, --runs DIR")
    return {row.key: plan.parent.name for plan in sorted(runs.rglob(PLAN)) for row in read_plan(plan)[1]}


def summary(found: Mapping[str, Sequence[Path]]) -> Iterable[str]:
    """One line for each run, the largest first, then all together."""
    for run, parts in sorted(found.items(), key=lambda group: -_bytes(group[1])):
        yield f"{_megabytes(parts)}  {len(parts):>6}  {run}"
    every = [part for parts in found.values() for part in parts]
    yield f"{_megabytes(every)}  {len(every):>6}  in all"


def _bytes(parts: Iterable[Path]) -> int:
    return sum(part.stat().st_size for part in parts)


def _megabytes(parts: Iterable[Path]) -> str:
    return f"{fixed(_bytes(parts) / 1e6, 1):>10} MB"


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; exit status 0, or 1 where something cannot be read or removed."""
    parser = command_parser("store", __doc__)
    parser.add_argument("cache", type=Path, nargs="?", default=Path("runs/.cache"), metavar="CACHE", help="paths.cache")
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="where the folders of runs lie (default runs)")
    parser.add_argument("--prune", action="store_true", help="remove what no run names")
    return run_command(parser, arguments, _store)


def _store(options: Namespace) -> int:
    store = Store(options.cache / "store")
    found = stored_parts(store, results_in_plans(options.runs) if store.path.is_dir() else {})
    if not options.prune:
        for line in summary(found):
            print(line)
        return 0
    if users := store.users():
        raise StoreError(f"{store.path}: in use by {', '.join(users)}; nothing was removed: wait until the runs end")
    going = found.pop(UNNAMED, [])
    size = _megabytes(going).strip()
    for part in going:
        part.unlink(missing_ok=True)
    print(f"removed {len(going)} parts, {size}; {sum(map(len, found.values()))} are left")
    return 0
