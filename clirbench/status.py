"""`python -m clirbench.status RUN`: what of a run is done, what is missing, what failed and why.

A run writes RUN/plan.tsv before it works: for each system and step the key that the result is stored under. Whether
it is there is the store's to say, so the answer is right for a run that is going on, was killed, or was completed by
another run.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from clirbench.errors import ClirbenchError, InputError, StoreError
from clirbench.store import Store
from clirbench.stream import tolerate_closed_output
from clirbench.systems.shards import read_shard

PLAN = "plan.tsv"
STORE_LINE = "# store\t"
TRANSLATE = "Translate"
"""The step whose results are shards of translations: their key is a file beside the store."""
COLUMNS = ("system", "step", "part", "key", "failed")


@dataclass(frozen=True)
class Planned:
    """One result that a run needs: whose, of which step, which part of it, and its key in the store.

    Without a key it is a step that was not reached yet, or that could not even be described: `failed` says why.
    """

    system: str
    step: str
    part: str = ""
    key: str = ""
    failed: str = ""


@dataclass(frozen=True)
class Plan:
    """The file RUN/plan.tsv; its first line says where the store is."""

    path: Path
    store: Path

    @classmethod
    def begin(cls, path: Path, store: Path) -> "Plan":
        """A plan with no rows yet, in the place of an earlier one.

        Raises `StoreError` where it cannot be written, or a file of somebody else has its name.
        """
        plan = cls(path, store.absolute())
        if path.exists():
            try:
                read_plan(path)
            except InputError as error:
                raise StoreError(f"{error}; nothing is overwritten: choose another folder, hydra.run.dir=DIR") from None
        plan._write("w", f"{STORE_LINE}{_field(str(plan.store))}", "\t".join(COLUMNS))
        return plan

    def add(self, rows: Iterable[Planned]) -> None:
        """Add rows; raises `StoreError` where the file cannot be written."""
        self._write("a", *("\t".join(_field(getattr(row, column)) for column in COLUMNS) for row in rows))

    def _write(self, mode: str, *lines: str) -> None:
        try:
            with self.path.open(mode, encoding="utf-8", newline="\n") as file:
                file.write("".join(f"{line}\n" for line in lines))
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be written ({error.strerror or error})") from error


@dataclass(frozen=True)
class State:
    """What became of one planned result: `done`, `missing` or `failed`, and why."""

    planned: Planned
    state: str
    reason: str = ""


def read_plan(path: Path) -> tuple[Path, list[Planned]]:
    """Where the store of a plan is, and its rows; raises `InputError` for what is no plan."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        raise InputError(
            f"{path}: no such file; name the folder of a run (hydra.run.dir). Runs that were moved to previous-N keep "
            "no plan"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: no plan can be read there ({error})") from None
    if len(lines) < 2 or not lines[0].startswith(STORE_LINE) or lines[1] != "\t".join(COLUMNS):
        raise InputError(f"{path}: is not a plan written by clirbench")
    rows = []
    # What stands after the last newline is a line that was being written when the run was killed.
    for number, line in enumerate(lines[2:-1], start=3):
        values = line.split("\t")
        if len(values) != len(COLUMNS):
            raise InputError(f"{path}: line {number}: {len(values)} columns, expected {len(COLUMNS)}")
        rows.append(Planned(*values))
    return Path(lines[0].removeprefix(STORE_LINE)), list(dict.fromkeys(rows))


def states(rows: Iterable[Planned], store: Store) -> Iterator[State]:
    """What became of every planned result; of several rows for one, the last knows best."""
    rows = list({(row.system, row.step, row.part, row.key): row for row in rows}.values())
    reached = {(row.system, row.step) for row in rows if row.key or row.failed}
    for row in rows:
        if row.key and _is_there(row, store):
            yield State(row, "done")
        elif row.failed:
            yield State(row, "failed", row.failed)
        elif not row.key:
            if (row.system, row.step) not in reached:
                yield State(row, "missing")
        elif reason := store.failure(row.key):
            yield State(row, "failed", reason)
        else:
            yield State(row, "missing")


def _is_there(row: Planned, store: Store) -> bool:
    if row.step == TRANSLATE:
        return read_shard(store.path.parent / row.key) is not None
    return store.holds(row.key)


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
            reasons.setdefault(_field(state.reason), []).append(state.planned.part)
    words += [f"failed {', '.join(filter(None, parts))}".rstrip() + f": {why}" for why, parts in reasons.items()]
    return "; ".join(words)


def _field(text: str) -> str:
    return " ".join(text.replace("\t", " ").split("\n"))


def main(arguments: Sequence[str] | None = None) -> int:
    """0: all is done; 1: something is missing or failed; 2: there is no plan to look at."""
    tolerate_closed_output()
    parser = argparse.ArgumentParser(
        prog="python -m clirbench.status", description="What of a run is done, what is missing, what failed and why."
    )
    parser.add_argument("run", type=Path, metavar="RUN", help="a run's folder")
    parser.add_argument("--store", type=Path, help="the store, where it has moved since (paths.cache)")
    options = parser.parse_args(arguments)
    try:
        where, rows = read_plan(options.run / PLAN)
        found = list(states(rows, Store(options.store or where)))
    except ClirbenchError as error:
        print(error, file=sys.stderr)
        return 2
    for line in summary(found):
        print(line)
    return 0 if all(state.state == "done" for state in found) else 1


if __name__ == "__main__":
    sys.exit(main())
