"""An engine that remembers: of each text those results are computed that the store does not hold.

What one pass over a text gives is stored by the process that computed it, as soon as it is there, so that a run that is
killed loses no more than what each process had in hand. What a step raises as a `ClirbenchError` becomes a `Failure` in
the place of the result: one system that cannot be computed does not stop the others.

What a run needs and under which keys: RUN/plan.tsv, written before the run works.

For each system and step the folder of the store and the key that the result is under, `FOLDER/KEY`. Whether it is there
is the store's to say, so `clirbench status RUN` is right for a run that is going on, was killed, or was completed by
another run.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from clirbench.engines.base import Engine
from clirbench.engines.local import Serial
from clirbench.errors import Changed, ClirbenchError, InputError, StoreError
from clirbench.files.run_files import MARKER, is_plain, path_inside
from clirbench.later import load_value
from clirbench.store.keys import environment, fingerprint
from clirbench.store.store import Entry, Seen, Snapshot, Store, current_snapshot, write_whole
from clirbench.text import seen_through, whole_text
from clirbench.types import Failure

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

        Raises `StoreError` where it cannot be written, or where a file of somebody else has its name in a folder that
        is not marked as ours.
        """
        plan = cls(path, store.absolute())
        if path.exists() and not (path.parent / MARKER).is_file():
            try:
                read_plan(path)
            except InputError as error:
                raise StoreError(f"{error}; nothing is overwritten: choose another folder, hydra.run.dir=DIR") from None
        with _written(path):
            write_whole(path, _as_lines([f"{STORE_LINE}{one_line(str(plan.store))}", "\t".join(COLUMNS)]))
        return plan

    def add(self, rows: Iterable[Planned]) -> None:
        """Add rows; raises `StoreError` where the file cannot be written."""
        with _written(self.path), self.path.open("ab") as file:
            file.write(_as_lines("\t".join(one_line(getattr(row, column)) for column in COLUMNS) for row in rows))


@contextmanager
def _written(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(f"{path}: cannot be written ({error.strerror or error})") from error


def _as_lines(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode("utf-8")


def read_plan(path: Path) -> tuple[Path, list[Planned]]:
    """Where the store of a plan is, and its rows; raises `InputError` for what is no plan."""
    if not path.exists():
        raise InputError(
            f"{path}: no such file; name the folder of a run (hydra.run.dir). Runs that were moved to previous-N keep "
            "no plan"
        )
    lines = whole_text(path_inside(path.parent, path.name)).split("\n")
    if len(lines) < 2 or not lines[0].startswith(STORE_LINE) or lines[1] != "\t".join(COLUMNS):
        raise InputError(f"{path}: is not a plan written by clirbench")
    rows = []
    # What stands after the last newline is a line that was being written when the run was killed.
    for number, line in enumerate(lines[2:-1], start=3):
        values = line.split("\t")
        if len(values) != len(COLUMNS):
            raise InputError(f"{path}: line {number}: {len(values)} columns, expected {len(COLUMNS)}")
        row = Planned(*values)
        if row.key and not all(map(is_plain, row.key.split("/"))):
            raise InputError(f"{path}: line {number}: {row.key!r} is no key of a result")
        rows.append(row)
    return Path(lines[0].removeprefix(STORE_LINE)), list(dict.fromkeys(rows))


def one_line(text: str) -> str:
    return " ".join(text.replace("\t", " ").split("\n"))


LOG = logging.getLogger(__name__)
Step = Callable[[Any], Any]


def tell_nobody(event: str, **values: Any) -> None:
    """An event that nobody reads."""


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

    `held`: keys of what the store has; `seen`: what is known of the files of the text; `failed`: why nothing is called.
    """

    calls: Mapping[Any, Call]
    text: Shared
    system: str = ""
    held: frozenset[str] = frozenset()
    seen: Mapping[str, Seen] = field(default_factory=dict)
    failed: Failure | None = None

    @property
    def folder(self) -> str:
        """The folder of the store: that of a text, whatever is made of it."""
        return self.text.fingerprint

    @property
    def missing(self) -> list[Call]:
        return [] if self.failed else [call for call in self.calls.values() if call.fingerprint not in self.held]

    @property
    def files(self) -> list[Path]:
        return list(getattr(self.text.value, "files", ()))


@dataclass(frozen=True)
class Cached:
    """Any engine, behind the store.

    `plan` lists what each system's results are stored under, for `clirbench status`; `tell` gets the event `kept`, with
    how many jobs find all that they need in the store.
    """

    engine: Engine
    store: Store
    plan: Plan | None = None
    tell: Callable[..., None] = tell_nobody
    unkept: list[str] = field(default_factory=list, compare=False)
    """Why results are not kept; the first reason is reported, and not one for each step."""

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
        shared, work = divided(snapshot, work)
        fresh = iter(self.engine.pmap(Work(self.store, shared, alone), work))
        for job, found in ready:
            if job.missing:
                made, unkept = next(fresh)
                found |= made
                if unkept and not self.unkept:
                    LOG.warning("results are not kept for a rerun: %s", unkept)
                self.unkept.extend([unkept] if unkept else [])
            results = {name: self._result(job, call, found) for name, call in job.calls.items()}
            if self.plan is not None and job.system and not job.failed:
                self.plan.add(lacking(job, results))
            yield results
        # Exhausted, so that an engine that ends its work after the last result does so now.
        for _ in fresh:
            raise StoreError("an engine gave more results than there were items")

    def looked_up(self, job: Pass) -> tuple[Pass, dict[str, Any]]:
        """The job with the keys that the store holds, and these values by key; noted in the plan.

        What cannot even be described, such as a file that is gone, is failed.
        """
        found: dict[str, Any] = {}
        calls = job.calls.values()
        try:
            if job.failed is None:
                bulky = [call.fingerprint for call in calls if call.bulky]
                found = self.store.find(job.folder, [call.fingerprint for call in calls], bulky)
        except ClirbenchError as error:
            job = replace(job, failed=Failure(str(error), changed=isinstance(error, Changed)))
        if self.plan is not None and job.system:
            self.plan.add(planned(job))
        return replace(job, held=frozenset(found)), found

    def _result(self, job: Pass, call: Call, found: Mapping[str, Any]) -> Any:
        if job.failed:
            return job.failed
        key = call.fingerprint
        return found[key] if key in found else Entry(self.store, job.folder, key)


def run_jobs(engine: Engine, jobs: Sequence[Pass]) -> Iterator[dict[Any, Any]]:
    """What every job gives, by name, from the store where the engine has one."""
    if isinstance(engine, Cached):
        yield from engine.run(jobs)
        return
    for job, (made, _) in zip(jobs, engine.pmap(Work(None, current_snapshot()), jobs), strict=True):
        yield {name: made[call.fingerprint] for name, call in job.calls.items()}


def cached_result(engine: Engine, step: Step, item: Any, names: Sequence[str] = ()) -> Iterator[Any]:
    """One result that needs what all systems gave: made in this process, and found again by a rerun.

    `names`: as in `Cached.pmap`; without one it is not in the plan, which a report cannot add to.
    """
    at_hand = replace(engine, engine=Serial()) if isinstance(engine, Cached) else Serial()
    for found in at_hand.pmap(step, [item], names):
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


def planned(job: Pass) -> Iterator[Planned]:
    """The rows of a plan that a job has."""
    for call in job.calls.values():
        if job.failed:
            yield Planned(job.system, call.step, call.part, "", job.failed.reason)
        else:
            yield Planned(job.system, call.step, call.part, f"{job.folder}/{call.fingerprint}")


def lacking(job: Pass, results: Mapping[Any, Any]) -> Iterator[Planned]:
    """Rows that say why results failed, in the place of those that said where they would be."""
    for name, one in results.items():
        if isinstance(one, Failure):
            call = job.calls[name]
            yield Planned(job.system, call.step, call.part, f"{job.folder}/{call.fingerprint}", one.reason)


@dataclass(frozen=True)
class Work:
    """Computes what is missing of one job and stores it, in the process that computes.

    What it reads must be what the snapshot, and what is known of the job's own files, says: the keys were made of it.
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
        keys, bulky = [[c.fingerprint for c in job.missing if c.bulky >= least] for least in (False, True)]
        # Another run may have made it meanwhile, or this one, before the worker that had more in hand died.
        made = {} if self.store is None else self.store.find(job.folder, keys, bulky)
        there = dict(made)
        snapshot = Snapshot({**self.snapshot.seen, **job.seen})
        with seen_through(snapshot):
            for call in job.missing:
                if call.fingerprint not in made:
                    made |= self._computed(job, call, made)
        if changed := next((Changed(file) for file in job.files if snapshot.differs(file)), None):
            made = dict.fromkeys(keys, Failure(str(changed), changed=True)) | there
        if self.store is None:
            return made, ""
        fresh = {key: one for key, one in made.items() if key not in there and not isinstance(one, Failure)}
        try:
            if fresh:
                self.store.put(job.folder, fresh)
        except StoreError as error:
            return made, str(error)
        return {key: one for key, one in made.items() if key not in bulky or key not in fresh}, ""

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
            rest = [id(one) for one in call.inputs[1:]]
            same = (one for one in job.missing if one.many and [id(given) for given in one.inputs[1:]] == rest)
            together = [one for one in same if one.function is call.function]
        try:
            given = [value(one) for one in call.inputs]
            if failure := next((one for one in given if isinstance(one, Failure)), None):
                return dict.fromkeys((one.fingerprint for one in together), failure)
            function = load_value(call.function)
            if call.many:
                results = function([value(one.inputs[0]) for one in together], *given[1:])
            else:
                results = [function(*given)]
        except ClirbenchError as error:
            results = [Failure(str(error), changed=isinstance(error, Changed))] * len(together)
        return {one.fingerprint: result for one, result in zip(together, results, strict=True)}


def divided(snapshot: Snapshot, work: Sequence[Pass]) -> tuple[Snapshot, list[Pass]]:
    """What is known of the files that all jobs share, and with each job what is known of its own."""
    own = [{str(file.absolute()) for file in job.files} for job in work]
    of_items = set().union(*own)
    shared = {file: seen for file, seen in snapshot.seen.items() if file not in of_items}
    jobs = [
        replace(job, seen={file: snapshot.seen[file] for file in files if file in snapshot.seen})
        for job, files in zip(work, own, strict=True)
    ]
    return Snapshot(shared), jobs
