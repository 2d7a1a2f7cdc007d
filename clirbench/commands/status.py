"""`clirbench status RUN`: what of a run is done, what is missing, what failed and why; of a sweep, for each run."""

import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from clirbench.commands.base import command_parser, run_command
from clirbench.configuration.laboratories import hooks
from clirbench.errors import escape_unseen
from clirbench.pages import many
from clirbench.store.cached import PLAN, TRANSLATE, Planned, one_line, read_plan
from clirbench.store.store import Store


def states(rows: Iterable[Planned], store: Store) -> Iterator[tuple[Planned, str, str]]:
    """What became of every planned result: `done`, `missing` or `failed`, and why; of several rows for one, the last
    knows best."""
    last = {(row.system, row.step, row.part, row.key): row for row in rows}
    reached = {(row.system, row.step) for row in last.values() if row.key or row.failed}
    for row in last.values():
        if row.key and _is_there(row, store):
            yield row, "done", ""
        elif row.failed:
            yield row, "failed", f": {one_line(row.failed)}"
        elif row.key or (row.system, row.step) not in reached:
            yield row, "missing", ""


def _is_there(row: Planned, store: Store) -> bool:
    if row.step == TRANSLATE:
        return any(is_kept(store.path.parent / row.key) for is_kept in hooks("is_kept"))
    folder, _, key = row.key.partition("/")
    return key in store.find(folder, [key])


def summary(found: Sequence[tuple[Planned, str, str]]) -> Iterator[str]:
    """One line for each step of each system, then how many results there are of each state."""
    by_step: dict[tuple[str, str], dict[tuple[str, str], list[str]]] = {}
    for row, state, why in found:
        by_step.setdefault((row.system, row.step), {}).setdefault((state, why), []).append(row.part)
    width = max((len(system) for system, _ in by_step), default=0)
    for (system, step), parts in by_step.items():
        n, n_done = sum(map(len, parts.values())), len(parts.pop(("done", ""), ()))
        words = [f"{n_done} of {n} done" if parts else "done"] if n > 1 or not parts else []
        for (state, why), names in sorted(parts.items(), key=lambda part: part[0][0] != "missing"):
            words.append(" ".join([state, *filter(None, [", ".join(filter(None, names))])]) + why)
        yield f"{system:<{width}}  {step:<17}  {'; '.join(words)}"
    counts = Counter(state for _, state, _ in found)
    yield f"{len(found)} results: " + ", ".join(f"{counts[name]} {name}" for name in ("done", "missing", "failed"))


def main(arguments: Sequence[str] | None = None) -> int:
    """0: all is done; 1: something is missing or failed; 2: there is no plan to look at."""
    parser = command_parser("status", __doc__)
    parser.add_argument("run", type=Path, metavar="RUN", help="the folder of a run")
    parser.add_argument("--store", type=Path, help="the store, where it has moved since (paths.cache)")
    return run_command(parser, arguments, _status, failed=2)


def _status(options: Namespace) -> int:
    jobs = sorted((path.parent for path in options.run.glob(f"*/{PLAN}")), key=lambda job: (len(job.name), job.name))
    swept = bool(jobs) and not (options.run / PLAN).exists()
    if swept:
        held = f"{options.run}: the folder of {many(len(jobs), 'run')} (a sweep's jobs)"
        print(escape_unseen(f"{held}; 'clirbench status {jobs[0]}' shows one of them"))
    complete = True
    for run in jobs if swept else (options.run,):
        where, rows = read_plan(run / PLAN)
        found = list(states(rows, Store(options.store or where)))
        complete &= all(state == "done" for _, state, _ in found)
        for line in [f"{run.name}: {[*summary(found)][-1]}"] if swept else summary(found):
            print(escape_unseen(line))
    return 0 if complete else 1


if __name__ == "__main__":
    sys.exit(main())
