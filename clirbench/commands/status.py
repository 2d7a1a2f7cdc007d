"""`clirbench status RUN`: what of a run is done, what is missing, what failed and why."""

import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from clirbench.commands.base import command_parser, run_command
from clirbench.configuration.laboratories import hooks
from clirbench.errors import escape_unseen
from clirbench.store.cached import PLAN, TRANSLATE, Planned, one_line, read_plan
from clirbench.store.store import Store


@dataclass(frozen=True)
class State:
    """What became of one planned result: `done`, `missing` or `failed`, and why."""

    planned: Planned
    state: str
    reason: str = ""


def states(rows: Iterable[Planned], store: Store) -> Iterator[State]:
    """What became of every planned result; of several rows for one, the last knows best."""
    last = {(row.system, row.step, row.part, row.key): row for row in rows}
    reached = {(row.system, row.step) for row in last.values() if row.key or row.failed}
    for row in last.values():
        if row.key and _is_there(row, store):
            yield State(row, "done")
        elif row.failed:
            yield State(row, "failed", row.failed)
        elif row.key or (row.system, row.step) not in reached:
            yield State(row, "missing")


def _is_there(row: Planned, store: Store) -> bool:
    if row.step == TRANSLATE:
        return any(is_kept(store.path.parent / row.key) for is_kept in hooks("is_kept"))
    folder, _, key = row.key.partition("/")
    return key in store.find(folder, [key])


def summary(found: Sequence[State]) -> Iterator[str]:
    """One line for each step of each system, then how many results there are of each state."""
    by_step: dict[tuple[str, str], list[State]] = {}
    for state in found:
        by_step.setdefault((state.planned.system, state.planned.step), []).append(state)
    width = max((len(system) for system, _ in by_step), default=0)
    for (system, step), of_step in by_step.items():
        yield f"{system:<{width}}  {step:<17}  {_in_words(of_step)}"
    counts = {name: sum(state.state == name for state in found) for name in ("done", "missing", "failed")}
    yield f"{len(found)} results: " + ", ".join(f"{count} {name}" for name, count in counts.items())


def _in_words(of_step: Sequence[State]) -> str:
    left = [state for state in of_step if state.state != "done"]
    if not left:
        return "done"
    words = [f"{len(of_step) - len(left)} of {len(of_step)} done"] if len(of_step) > 1 else []
    missing = [state.planned.part for state in left if state.state == "missing"]
    if missing:
        words.append(" ".join(["missing", *filter(None, [", ".join(filter(None, missing))])]))
    reasons: dict[str, list[str]] = {}
    for state in left:
        if state.state == "failed":
            reasons.setdefault(one_line(state.reason), []).append(state.planned.part)
    words += [f"failed {', '.join(filter(None, parts))}".rstrip() + f": {why}" for why, parts in reasons.items()]
    return "; ".join(words)


def main(arguments: Sequence[str] | None = None) -> int:
    """0: all is done; 1: something is missing or failed; 2: there is no plan to look at."""
    parser = command_parser("status", __doc__)
    parser.add_argument("run", type=Path, metavar="RUN", help="the folder of a run")
    parser.add_argument("--store", type=Path, help="the store, where it has moved since (paths.cache)")
    return run_command(parser, arguments, _status, failed=2)


def _status(options: Namespace) -> int:
    where, rows = read_plan(options.run / PLAN)
    found = list(states(rows, Store(options.store or where)))
    for line in summary(found):
        print(escape_unseen(line))
    return 0 if all(state.state == "done" for state in found) else 1


if __name__ == "__main__":
    sys.exit(main())
