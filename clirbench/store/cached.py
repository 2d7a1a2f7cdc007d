"""What a run computes: jobs of calls, of which only what the store does not hold is made; and the plan of them all.

A job is what one pass over one text gives. It is stored by the process that computed it, as soon as it is there, so
that a run that is killed loses no more than what each process had in hand. What a step raises as a `ClirbenchError`
becomes a `Failure` in the place of the result: one system that cannot be computed does not stop the others.

RUN/plan.tsv names for each system and step the folder of the store and the key that the result is under, `FOLDER/KEY`,
before the run works. Whether it is there is the store's to say, so `clirbench status RUN` is right for a run that is
going on, was killed, or was completed by another run.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

from clirbench.engines.base import Engine
from clirbench.engines.local import Serial
from clirbench.errors import ClirbenchError, InputError, StoreError, changed_error, writing
from clirbench.files.run_files import MARKER, is_plain, path_inside
from clirbench.later import load_value
from clirbench.store.keys import environment, fingerprint
from clirbench.store.store import Entry, Snapshot, Store, current_snapshot, write_whole
from clirbench.text import seen_through, whole_text
from clirbench.types import Failure

LOG = logging.getLogger(__name__)
PLAN = "plan.tsv"
STORE_LINE = "# store\t"
TRANSLATE = "Translate"
"""The step whose results are shards of translations: their key is a file beside the store."""
Step = Callable[[Any], Any]


@dataclass(frozen=True, eq=False)
class Shared:
    """A value of many calls, whose key is made once."""

    value: Any

    @cached_property
    def fingerprint(self) -> str:
        return fingerprint(self.value)

    def load(self) -> Any:
        return self.value


@dataclass(frozen=True, eq=False)
class Call:
    """A function and all that it gets, which name its result; `part`: what a plan calls it.

    What has `load`, such as another call of the same job, stands for its value. A `bulky` result is an entry of the
    store, to be read when needed. `many`: the function takes a list of first inputs, and gives a list of results.
    """

    function: Any
    inputs: tuple[Any, ...]
    part: str = ""
    bulky: bool = False
    many: bool = False

    @cached_property
    def fingerprint(self) -> str:
        elsewhere = getattr(load_value(self.function), "made_elsewhere", False)
        return fingerprint(() if elsewhere else environment(), self.function, self.inputs)

    @property
    def step(self) -> str:
        """The name of the function."""
        function = load_value(self.function)
        function = function.func if isinstance(function, partial) else function
        return str(getattr(function, "__name__", type(function).__name__))


@dataclass(frozen=True, eq=False)
class Pass:
    """The calls of one pass over one text, by their names, each after those that it needs; `system`: whose it is.

    `held`: keys of what the store has; `failed`: why nothing is called.
    """

    calls: Mapping[Any, Call]
    text: Shared
    system: str = ""
    held: frozenset[str] = frozenset()
    failed: Failure | None = None

    @property
    def folder(self) -> str:
        """The folder of the store: that of a text, whatever is made of it."""
        return self.text.fingerprint

    @property
    def keys(self) -> tuple[list[str], set[str]]:
        """The keys of all results, and of those that are bulky."""
        calls = self.calls.values()
        return [call.fingerprint for call in calls], {call.fingerprint for call in calls if call.bulky}

    @property
    def missing(self) -> dict[str, Call]:
        """The calls whose results are to be made, by key."""
        calls = () if self.failed else self.calls.values()
        return {call.fingerprint: call for call in calls if call.fingerprint not in self.held}


@dataclass(frozen=True)
class Cached:
    """Any engine, behind a store (None: nothing is kept).

    `plan` lists what each system's results are stored under, for `clirbench status`; `tell` gets the event `kept`, with
    how many jobs find all that they need in the store.
    """

    engine: Engine
    store: Store | None
    plan: "Plan | None" = None
    tell: Callable[..., None] = lambda *_, **__: None

    def pmap(self, step: Step, items: Sequence[Any], names: Sequence[str] = ()) -> Iterator[Any]:
        """One result or `Failure` for each item, in their order. `names` say whose items they are, in the plan.

        A `Failure` among the items is passed on. Where the store cannot be written the run goes on without it.
        """
        yield from (found[""] for found in self.run(calls_on(step, items, names), getattr(step, "alone", False)))

    def run(self, jobs: Sequence[Pass], alone: bool = False) -> Iterator[dict[Any, Any]]:
        """The results of every job by name: values, entries of the store, `Failure`s."""
        snapshot = current_snapshot()
        with seen_through(snapshot):
            ready = [self.looked_up(job) for job in jobs]
        work = [job for job, _ in ready if job.missing]
        if named := [job for job in jobs if job.system]:
            steps = dict.fromkeys(call.step for call in named[0].calls.values())
            self.tell("kept", of=", ".join(steps), items=len(jobs), kept=len(jobs) - len(work))
        fresh = iter(self.engine.pmap(Work(self.store, snapshot, alone), work))
        for job, found in ready:
            if job.missing:
                made, unkept = next(fresh)
                found |= made
                if unkept and self.store:
                    self.store.warn_once("unkept", f"results are not kept for a rerun: {unkept}")
            results = {name: self._result(job, call, found) for name, call in job.calls.items()}
            if not job.failed:
                self._note(job, {name: one for name, one in results.items() if isinstance(one, Failure)})
            yield results
        # Exhausted, so that an engine that ends its work after the last result does so now.
        for _ in fresh:
            raise StoreError("an engine gave more results than there were items")

    def looked_up(self, job: Pass) -> tuple[Pass, dict[str, Any]]:
        """The job with the keys that the store holds, and these values by key; noted in the plan.

        What cannot even be described, such as a file that is gone, is failed.
        """
        found: dict[str, Any] = {}
        try:
            if job.failed is None:
                found = self.store.find(job.folder, *job.keys) if self.store else {}
        except ClirbenchError as error:
            job = replace(job, failed=Failure(str(error)))
        self._note(job, dict.fromkeys(job.calls, job.failed))
        return replace(job, held=frozenset(found)), found

    def _note(self, job: Pass, calls: Mapping[Any, Failure | None]) -> None:
        """Write calls to the plan: where their results are to be, and why some cannot; the last row of one holds."""
        rows = []
        for name, failure in calls.items() if self.plan is not None and job.system else ():
            call = job.calls[name]
            key = "" if job.failed else f"{job.folder}/{call.fingerprint}"
            rows.append(Planned(job.system, call.step, call.part, key, failure.reason if failure else ""))
        if self.plan is not None and rows:
            self.plan.add(rows)

    def _result(self, job: Pass, call: Call, found: Mapping[str, Any]) -> Any:
        if job.failed:
            return job.failed
        key = call.fingerprint
        return found[key] if key in found or self.store is None else Entry(self.store, job.folder, key)


def run_jobs(engine: Engine, jobs: Sequence[Pass]) -> Iterator[dict[Any, Any]]:
    """What every job gives, by name, from the store where the engine has one."""
    return (engine if isinstance(engine, Cached) else Cached(engine, None)).run(jobs)


def cached_result(engine: Engine, step: Step, item: Any, names: Sequence[str] = ()) -> Iterator[Any]:
    """One result that needs what all systems gave: made in this process, and found again by a rerun.

    `names`: as in `Cached.pmap`; without one it is not in the plan, which a report cannot add to.
    """
    at_hand = replace(engine, engine=Serial()) if isinstance(engine, Cached) else Serial()
    return cached_results(at_hand, step, [item], names)


def cached_results(engine: Engine, step: Step, items: Sequence[Any], names: Sequence[str] = ()) -> Iterator[Any]:
    """The result of a step for each item, made where the engine works, and found again by a rerun."""
    for item, found in zip(items, engine.pmap(step, items, names), strict=True):
        # What the store noted is raised as what it is.
        yield step(item) if isinstance(found, Failure) else found


def calls_on(step: Step, items: Sequence[Any], names: Sequence[str] = ()) -> list[Pass]:
    """A job of one call for each item, in the folder of the text that is the item, or a part of it."""
    shared, bulky = Shared(step), getattr(step, "bulky", False)
    jobs = []
    for item, name in zip(items, names or [""] * len(items), strict=True):
        among = item if isinstance(item, tuple) else (item,)
        text = Shared(next((one for one in among if hasattr(one, "blocks")), item))
        call = Call(shared, (text if text.value is item else item,), bulky=bulky)
        jobs.append(Pass({"": call}, text, name, failed=item if isinstance(item, Failure) else None))
    return jobs


@dataclass(frozen=True)
class Work:
    """Computes what is missing of one job and stores it, in the process that computes.

    What it reads must be what the snapshot says: the keys were made of it.
    """

    store: Store | None
    snapshot: Snapshot
    alone: bool = False

    def cost(self, job: Pass) -> float:
        """Bytes of text, for the engine; or what a step itself says."""
        step = load_value(next(iter(job.calls.values())).function)
        if hasattr(step, "cost"):
            return float(step.cost(job.text.value))
        return float(getattr(job.text.value, "size", 0) * len(job.missing))

    def __call__(self, job: Pass) -> tuple[dict[str, Any], str]:
        """What is to travel to the run, by key: failures, values that are not bulky, all that could not be kept; and
        why they could not."""
        missing, (_, bulky) = job.missing, job.keys
        # Another run may have made it meanwhile, or this one, before the worker that had more in hand died.
        there = self.store.find(job.folder, missing, bulky) if self.store else {}
        fresh: dict[str, Any] = {}
        snapshot = Snapshot(dict(self.snapshot.seen), dict(self.snapshot.states))
        with seen_through(snapshot):
            for key, call in missing.items():
                if key not in there and key not in fresh:
                    fresh |= self._computed(job, call, there | fresh)
        files = getattr(job.text.value, "files", ())
        if changed := next(filter(snapshot.differs, files), None):
            fresh = dict.fromkeys(fresh, Failure(str(changed_error(changed))))
        kept = {key: one for key, one in fresh.items() if not isinstance(one, Failure)}
        if self.store is None or not kept:
            return there | fresh, ""
        try:
            self.store.put(job.folder, kept)
        except StoreError as error:
            return there | fresh, str(error)
        return there | {key: one for key, one in fresh.items() if key not in kept or key not in bulky}, ""

    def _computed(self, job: Pass, call: Call, made: Mapping[str, Any]) -> dict[str, Any]:
        """The result of a call, and those of calls that its function makes together with it, by key."""

        def value(given: Any) -> Any:
            if not isinstance(given, Call):
                return load_value(given)
            if given.fingerprint in made:
                return load_value(made[given.fingerprint])
            assert self.store is not None
            return self.store.get(job.folder, given.fingerprint)

        together = [call]
        if call.many:
            same = [id(call.function), *map(id, call.inputs[1:])]
            many = (one for one in job.missing.values() if one.many)
            together = [one for one in many if [id(one.function), *map(id, one.inputs[1:])] == same]
        keys = [one.fingerprint for one in together]
        try:
            first, *given = [value(one) for one in call.inputs]
            if failure := next((one for one in (first, *given) if isinstance(one, Failure)), None):
                return dict.fromkeys(keys, failure)
            function = load_value(call.function)
            if call.many:
                return dict(zip(keys, function([value(one.inputs[0]) for one in together], *given), strict=True))
            return {keys[0]: function(first, *given)}
        except ClirbenchError as error:
            return dict.fromkeys(keys, Failure(str(error)))


class Planned(NamedTuple):
    """One result that a run needs: whose, of which step, which part of it, and its key in the store.

    Without a key it is a step that could not even be described: `failed` says why.
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

    @classmethod
    def begin(cls, path: Path, store: Path) -> "Plan":
        """A plan with no rows yet, in the place of an earlier one.

        Raises `StoreError` where it cannot be written, or where a file of somebody else has its name in a folder that
        is not marked as ours.
        """
        if path.exists() and not (path.parent / MARKER).is_file():
            try:
                read_plan(path)
            except InputError as error:
                raise StoreError(f"{error}; nothing is overwritten: choose another folder, hydra.run.dir=DIR") from None
        with writing(path):
            write_whole(path, _lines([(STORE_LINE.strip(), str(store.absolute())), Planned._fields]))
        return cls(path)

    def add(self, rows: Iterable[Planned]) -> None:
        """Add rows; raises `StoreError` where the file cannot be written."""
        with writing(self.path), self.path.open("ab") as file:
            file.write(_lines(rows))


def _lines(rows: Iterable[Sequence[str]]) -> bytes:
    return "".join("\t".join(one_line(cell) for cell in row) + "\n" for row in rows).encode("utf-8")


def read_plan(path: Path) -> tuple[Path, list[Planned]]:
    """Where the store of a plan is, and its rows; raises `InputError` for what is no plan."""
    if not path.exists():
        raise InputError(
            f"{path}: no such file; name the folder of a run (hydra.run.dir). Runs that were moved to previous-N keep "
            "no plan"
        )
    lines = whole_text(path_inside(path.parent, path.name)).split("\n")
    if len(lines) < 2 or not lines[0].startswith(STORE_LINE) or lines[1] != "\t".join(Planned._fields):
        raise InputError(f"{path}: is not a plan written by clirbench")
    rows = []
    # What stands after the last newline is a line that was being written when the run was killed.
    for number, line in enumerate(lines[2:-1], start=3):
        values = line.split("\t")
        if len(values) != len(Planned._fields):
            raise InputError(f"{path}: line {number}: {len(values)} columns, expected {len(Planned._fields)}")
        row = Planned(*values)
        if row.key and not all(map(is_plain, row.key.split("/"))):
            raise InputError(f"{path}: line {number}: {row.key!r} is no key of a result")
        rows.append(row)
    return Path(lines[0].removeprefix(STORE_LINE)), list(dict.fromkeys(rows))


def one_line(text: str) -> str:
    return " ".join(text.replace("\t", " ").split("\n"))
