"""An engine that remembers: a step is mapped over those items whose result the store does not hold.

Every result is stored by the process that computed it, as soon as it is there, so that a run that is killed loses no
more than what each process had in hand. What a step raises as a `ClirbenchError` becomes a `Failure` in the place of
the result: one system that cannot be computed does not stop the others.
"""

import logging
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from clirbench.engines.base import Engine, kind
from clirbench.engines.local import Serial
from clirbench.errors import Changed, ClirbenchError, StoreError
from clirbench.later import load_value
from clirbench.store.keys import environment, fingerprint
from clirbench.store.plan import Plan, Planned
from clirbench.store.snapshot import Seen, Snapshot, current_snapshot
from clirbench.store.store import Entry, Store
from clirbench.text import seen_through
from clirbench.types import Failure

LOG = logging.getLogger(__name__)
Part = Hashable
Step = Callable[[Any], Any]

WHOLE: Part = ""
"""The one part of a result that is not taken apart."""


def tell_nobody(event: str, **values: Any) -> None:
    """An event that nobody reads."""


@dataclass(frozen=True)
class Cached:
    """Any engine, behind the store.

    A step is a frozen dataclass that names all its inputs. A step whose result is a mapping of independent parts
    (values of several measures) has `parts`, the step that gives each part alone, and `only(parts)`, the step that
    gives some of them: then each part is stored separately. A step that is `bulky` gives entries of the store, to be
    read when needed, in the place of values.

    `plan` lists what each step of each system is stored under, for `python -m clirbench.status`; `tell` gets the event
    `kept`, with how many results of a step the store has.
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
        snapshot = current_snapshot()
        with seen_through(snapshot):
            cached_items = self.cached_items(step, items, names)
        bulky = getattr(step, "bulky", False)
        missing = [cached.looked_up(self.store, bulky) for cached in cached_items if isinstance(cached, CachedItem)]
        work = [replace(cached, found={}) for cached in missing if cached.missing]  # what travels is small
        if names:
            self.tell("kept", of=type(step).__name__, items=len(items), kept=len(missing) - len(work))
        shared, work = divided(snapshot, work)
        fresh = iter(self.engine.pmap(Storing(step, self.store, shared), work))
        waiting = iter(missing)
        for cached in cached_items:
            if isinstance(cached, Failure):
                yield cached
                continue
            todo = next(waiting)
            computed = next(fresh) if todo.missing else {}
            yield computed if isinstance(computed, Failure) else self._result(step, todo, computed)
        # Exhausted, so that an engine that ends its work after the last result does so now.
        for _ in fresh:
            raise StoreError("an engine gave more results than there were items")

    def cached_items(self, step: Step, items: Sequence[Any], names: Sequence[str] = ()) -> list["CachedItem | Failure"]:
        """What is to be done for each item, whether or not it is done already; noted in the plan."""
        prefix = {part: fingerprint(one, environment()) for part, one in _parts(step).items()}
        cached_items = [_cached_item(prefix, item) for item in items]
        if self.plan is not None and names:
            self.plan.add(_planned(step, cached_items, names))
        return cached_items

    def _result(self, step: Step, cached: "CachedItem", computed: Mapping[Part, Any]) -> Any:
        values: dict[Part, Any] = {}
        for part, key in cached.keys.items():
            value = computed.get(part)
            if isinstance(value, Unstored):
                if not self.unkept:
                    LOG.warning("results are not kept for a rerun: %s", value.reason)
                self.unkept.append(value.reason)
                value = value.value
            value = cached.found.get(part) if value is None else value
            values[part] = Entry(self.store, key) if value is None else value
        if tuple(values) != (WHOLE,):
            return {part: load_value(value) for part, value in values.items()}
        return values[WHOLE] if getattr(step, "bulky", False) else load_value(values[WHOLE])


def cached_result(engine: Engine, step: Callable[[Any], Any], item: Any, names: Sequence[str] = ()) -> Iterator[Any]:
    """One result that needs what all systems gave: made in this process, and found again by a rerun.

    `names`: as in `Cached.pmap`; without one it is not in the plan, which a report cannot add to.
    """
    at_hand = replace(engine, engine=Serial()) if isinstance(engine, Cached) else Serial()
    for found in at_hand.pmap(step, [item], names):
        # What the store noted is raised as what it is.
        yield step(item) if isinstance(found, Failure) else found


@dataclass(frozen=True)
class CachedItem:
    """One item, the key of each part of its result, which parts are missing, which others are loaded, and the state of
    its own files when they were first read."""

    item: Any
    keys: Mapping[Part, str]
    missing: tuple[Part, ...] = ()
    found: Mapping[Part, Any] = field(default_factory=dict)
    seen: Mapping[str, Seen] = field(default_factory=dict)

    def looked_up(self, store: Store, bulky: bool) -> "CachedItem":
        """The same, with the parts that are missing from the store, and the values of the others unless `bulky`."""
        if bulky:
            return replace(self, missing=tuple(part for part, key in self.keys.items() if not store.holds(key)))
        found = {part: store.find(key) for part, key in self.keys.items()}
        return replace(self, missing=tuple(part for part, value in found.items() if value is None), found=found)


@dataclass(frozen=True)
class Unstored:
    """A value that could not be stored, and why: it travels to the parent instead."""

    value: Any
    reason: str


@dataclass(frozen=True)
class Storing:
    """Computes what is missing of one item and stores it, in the process that computes.

    What it reads must be what the snapshot, and what is known of the item's own files, says: the keys were made of it.
    """

    step: Step
    store: Store
    snapshot: Snapshot

    def cost(self, cached: CachedItem) -> float | None:
        """What the step itself says, for the engine."""
        cost: Callable[[Any], float] | None = getattr(self.step, "cost", None)
        return None if cost is None else cost(cached.item)

    @property
    def alone(self) -> bool:
        """What the step itself says, for the engine."""
        return getattr(self.step, "alone", False)

    def kind(self, cached: CachedItem) -> Hashable:
        """What the step itself says, for the engine."""
        return kind(self.step, cached.item)

    def __call__(self, cached: CachedItem) -> dict[Part, Unstored | None] | Failure:
        # Another run may have made it meanwhile, or this one, before the worker that had more in hand died.
        there: dict[Part, Unstored | None] = {
            part: None for part in cached.missing if self.store.holds(cached.keys[part])
        }
        cached = replace(cached, missing=tuple(part for part in cached.missing if part not in there))
        if not cached.missing:
            return there
        snapshot = replace(self.snapshot, seen={**self.snapshot.seen, **cached.seen})
        try:
            with seen_through(snapshot):
                values = self._compute(cached)
            for file in _files(cached.item):
                if snapshot.differs(file):
                    raise Changed(file)
        except ClirbenchError as error:
            for part in cached.missing:
                self.store.note_failure(cached.keys[part], str(error))
            return Failure(str(error), changed=isinstance(error, Changed))
        return {**there, **{part: self._put(cached.keys[part], values[part]) for part in cached.missing}}

    def _compute(self, cached: CachedItem) -> Mapping[Part, Any]:
        if cached.missing == (WHOLE,):
            return {WHOLE: self.step(cached.item)}
        values: Mapping[Part, Any] = cast(Any, self.step).only(cached.missing)(cached.item)
        return values

    def _put(self, key: str, value: Any) -> Unstored | None:
        try:
            self.store.put(key, value)
        except StoreError as error:
            return Unstored(value, str(error))
        return None


def _parts(step: Step) -> Mapping[Part, Step]:
    parts: Callable[[], Mapping[Part, Step]] | None = getattr(step, "parts", None)
    return {WHOLE: step} if parts is None else parts()


def _cached_item(prefix: Mapping[Part, str], item: Any) -> CachedItem | Failure:
    if isinstance(item, Failure):
        return item
    try:
        made_from = fingerprint(item)
    except ClirbenchError as error:
        return Failure(str(error), changed=isinstance(error, Changed))
    return CachedItem(item, {part: fingerprint(before, made_from) for part, before in prefix.items()})


def divided(snapshot: Snapshot, work: Sequence[CachedItem]) -> tuple[Snapshot, list[CachedItem]]:
    """What is known of the files that all items share, and with each item what is known of its own."""
    own = [{str(file.absolute()) for file in _files(cached.item)} for cached in work]
    of_items = set().union(*own)
    shared = {file: seen for file, seen in snapshot.seen.items() if file not in of_items}
    items = [
        replace(cached, seen={file: snapshot.seen[file] for file in files if file in snapshot.seen})
        for cached, files in zip(work, own, strict=True)
    ]
    return replace(snapshot.for_steps, seen=shared), items


def _files(item: Any) -> Iterator[Path]:
    """The files of the texts among what an item consists of."""
    for member in item if isinstance(item, tuple) else (item,):
        if hasattr(member, "blocks"):
            yield from member.files


def _planned(step: Step, cached_items: Sequence[CachedItem | Failure], names: Sequence[str]) -> Iterator[Planned]:
    for name, cached in zip(names, cached_items, strict=True):
        if isinstance(cached, Failure):
            yield Planned(name, type(step).__name__, "", "", cached.reason)
            continue
        for part, key in cached.keys.items():
            yield Planned(name, type(step).__name__, part_label(part, cached.item), key)


def part_label(part: Part, item: Any) -> str:
    """What to call a part of a result: `MAP`, `MAP[qrels]`; a metric's name where the item begins with a metric."""
    if isinstance(part, tuple):
        label, name = part
        return f"{name}[{label}]" if label else str(name)
    first = item[0] if isinstance(item, tuple) else item
    return str(part) or str(getattr(first, "name", ""))
