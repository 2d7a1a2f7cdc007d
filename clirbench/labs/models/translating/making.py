"""The loop that makes missing shards, in this process or by the workers of an engine, a system each.

The engine alone loads the model: shards are seen where they are kept, as they are made.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextvars import copy_context
from dataclasses import dataclass
from math import nan
from typing import ClassVar

from clirbench.corpora.sentences import SentenceSplitter
from clirbench.errors import ClirbenchError, InputError, ResourceError, StoreError, gathered
from clirbench.labs.models.translating.base import Translate, translate_lines
from clirbench.labs.models.translating.cost import metered, write_cost
from clirbench.labs.models.translating.shards import digest_of, read_shard, write_shard
from clirbench.labs.models.translating.text import MachineText, machine_texts
from clirbench.types import Translation

LOOK = 0.5
LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class PendingShards:
    """The shards of one text that are still to be made."""

    text: MachineText
    missing: tuple[int, ...]

    @property
    def n_lines(self) -> int:
        return sum(self.text.source.lengths[number] for number in self.missing)


@dataclass(frozen=True)
class Progress:
    """One more shard is done: by whom, how far the whole work is, and an estimate of the seconds that are left."""

    system: str
    lines_done: int
    lines_total: int
    seconds_left: float


def missing_work(translations: Sequence[Translation], errors: dict[str, ClirbenchError]) -> list[PendingShards]:
    """What is still to be translated, texts of one system together; adds systems that cannot be read to `errors`."""
    work = []
    for translation in translations:
        found: list[ClirbenchError] = []
        with gathered(found):
            work += [lacking for lacking in map(_missing_shards, machine_texts([translation])) if lacking.missing]
        if found:
            errors[translation.system] = found[0]
    return [lacking for lacking in work if lacking.text.system not in errors]


def translate(
    work: Sequence[PendingShards], errors: dict[str, ClirbenchError], clock: Callable[[], float] = time.monotonic
) -> Iterator[Progress]:
    """Make every missing shard; yields after each. A system that fails is put into `errors`, the others go on.

    The estimate takes the lines left at the speed of the lines done; `clock` gives seconds. What is done stays done:
    an interrupted run loses the shard in hand.
    """
    start, done, total = clock(), 0, sum(lacking.n_lines for lacking in work)
    for system, of_system in _by_system(work).items():
        failed: list[ClirbenchError] = []
        done_by_system = 0
        with gathered(failed):
            for n_lines in _make(of_system):
                done += n_lines
                done_by_system += n_lines
                yield Progress(system, done, total, (clock() - start) / done * (total - done))
        if failed and isinstance(failed[0], StoreError):
            raise failed[0]  # nothing can be kept, whichever system it is
        if failed:
            errors[system] = failed[0]
            total -= sum(lacking.n_lines for lacking in of_system) - done_by_system


def handed_out(
    work: Sequence[PendingShards], errors: dict[str, ClirbenchError], pmap: Callable[..., Iterator[str]]
) -> Iterator[Progress]:
    """The same by the workers of an engine, a system each; what they have kept is looked for every `LOOK` seconds."""
    systems, reasons, broken = _by_system(work), list[str](), list[BaseException]()

    def wait() -> None:
        try:
            reasons.extend(pmap(MakeShards(), list(systems.values()), list(systems)))
        except BaseException as error:  # noqa: BLE001 - it is raised where the shards are looked for
            broken.append(error)

    start, done, total = time.monotonic(), 0, sum(lacking.n_lines for lacking in work)
    left = {
        lacking.text.paths[number]: (lacking.text.system, lacking.text.source.lengths[number])
        for lacking in work
        for number in lacking.missing
    }
    waiter = threading.Thread(target=copy_context().run, args=(wait,), daemon=True)
    waiter.start()
    busy = True
    while busy:
        waiter.join(LOOK)
        busy = waiter.is_alive()
        for path in [path for path in left if path.exists()]:
            system, n_lines = left.pop(path)
            done += n_lines
            yield Progress(system, done, total, (time.monotonic() - start) / done * (total - done))
    for error in broken:
        raise error
    errors.update({system: ResourceError(reason) for system, reason in zip(systems, reasons, strict=True) if reason})


@dataclass(frozen=True)
class MakeShards:
    """Step: make the missing shards of one system; gives why it failed, or nothing."""

    alone: ClassVar[bool] = True

    def __call__(self, work: Sequence[PendingShards]) -> str:
        failed: list[ClirbenchError] = []
        with gathered(failed):
            for _ in _make(work):
                pass
        if failed and isinstance(failed[0], StoreError):
            raise failed[0]
        return str(failed[0]) if failed else ""


def _by_system(work: Sequence[PendingShards]) -> dict[str, list[PendingShards]]:
    found: dict[str, list[PendingShards]] = {}
    for lacking in work:
        found.setdefault(lacking.text.system, []).append(lacking)
    return found


def _make(work: Sequence[PendingShards]) -> Iterator[int]:
    """Make the missing shards of one system, whose model is loaded once; the lines of each."""
    with work[0].text.translator.loaded(work[0].text.model) as engine:
        for lacking in work:
            text, wanted = lacking.text, set(lacking.missing)
            where = f"{text.system}: {text.source.text.where}"
            first = 1
            for number, lines in enumerate(text.source):
                if number in wanted:
                    said = f"{where}, lines {first} to {first + len(lines) - 1}"
                    if digest_of(lines) != text.source.digests[number]:
                        raise InputError(f"{said}: changed while this run was reading it; run again")
                    if read_shard(text.paths[number], len(lines)) is None:  # another run may have been here
                        with metered() as meter:
                            written = _translated(text.sentences, engine, lines, said)
                        seconds = nan if getattr(text.translator, "works_elsewhere", False) else meter.seconds
                        write_cost(text.paths[number], seconds, lines)
                        write_shard(text.paths[number], written)
                    yield len(lines)
                first += len(lines)


def _translated(sentences: SentenceSplitter | None, engine: Translate, lines: Sequence[str], said: str) -> list[str]:
    if sentences is None:
        return translate_lines(engine, lines, said)
    return sentences.translated(lines, lambda cut: translate_lines(engine, cut, said))


def _missing_shards(text: MachineText) -> PendingShards:
    missing = []
    for number, (path, n_lines) in enumerate(zip(text.paths, text.source.lengths, strict=True)):
        if read_shard(path, n_lines) is None:
            missing.append(number)
            if path.exists():
                LOG.warning("%s is damaged: its lines are translated again", path)
    return PendingShards(text, tuple(missing))
