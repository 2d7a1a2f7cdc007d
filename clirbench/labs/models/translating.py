"""Systems whose texts programs make, shard by shard: whole documents of the source, each kept in a file.

A shard's file is named by what it was made from: programs, model content and source lines, never paths or times. Its
first line is the sha256 of the rest, so a damaged file is found and made again. Lines of a shard that is not whole yet
are in `NAME.part` as soon as they have come, and what it cost is in `NAME.cost`.
"""

import hashlib
import logging
import os
import queue
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice, pairwise, starmap
from math import nan
from pathlib import Path
from typing import Any, ClassVar

from clirbench.corpora.base import Corpus
from clirbench.corpora.sentences import SentenceSplitter
from clirbench.corpora.sides import first_ten
from clirbench.errors import ClirbenchError, InputError, ResourceError, StoreError, gathered, raise_all
from clirbench.labs.models.program import Program
from clirbench.store.store import write_whole
from clirbench.systems.base import MOST_EMPTY
from clirbench.systems.health import MANY_BLANK
from clirbench.text import BLOCK, Text, TextLines, in_blocks, sha256_of, split_lines
from clirbench.types import DocumentMap, Documents, Translation

MILLION = 1_000_000
LOOK = 0.5
LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Translator:
    """A program whose model is put in its place: what `systems=checkpoints systems.model=PATTERN` asks to translate."""

    program: Program

    def translations(
        self, corpus: Corpus, models: Sequence[tuple[str, Path, Mapping[str, str]]], cache: str, shard_lines: int
    ) -> tuple[Translation, ...]:
        """See `translations`."""
        named = [(name, self.program, model, metadata) for name, model, metadata in models]
        return translations(corpus, named, cache, shard_lines)


@dataclass(frozen=True, eq=False)
class Shards:
    """Consecutive documents of a source text, at least `size` lines a shard (the last one has what is left)."""

    text: Text
    map: DocumentMap
    size: int
    sentences: SentenceSplitter | None = None

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """Lines of each shard; a document is never cut, however long it is."""
        bounds = [0]
        for end in self.map.starts[1:].tolist():
            if end - bounds[-1] >= self.size:
                bounds.append(end)
        if bounds[-1] < self.map.n_lines:
            bounds.append(self.map.n_lines)
        return tuple(end - start for start, end in pairwise(bounds))

    @cached_property
    def digests(self) -> tuple[str, ...]:
        """sha256 of the lines of each shard; raises `InputError` where the text has not the lines of its documents."""
        return tuple(hashlib.sha256(packed(lines)).hexdigest() for lines in self)

    @cached_property
    def n_full(self) -> int:
        """Lines that are not blank."""
        return sum(bool(line.strip()) for shard in self for line in shard)

    def __iter__(self) -> Iterator[list[str]]:
        """The lines of each shard, in order; the text is streamed."""
        lines = Documents(self.text, self.map).lines()
        for length in self.lengths:
            shard = list(islice(lines, length))
            if len(shard) < length:
                raise InputError(f"{self.text.where}: has fewer than {self.map.n_lines} lines; did it change?")
            yield shard


@dataclass(frozen=True, eq=False)
class MachineText:
    """What programs make of a source text, shard by shard, kept under `folder`.

    A `Text` like any other once every shard is there; before that, reading it raises `ResourceError`. With sentences
    to be cut, a line is a document.
    """

    system: str
    program: Program
    model: Path | None
    source: Shards
    folder: Path

    @property
    def where(self) -> str:
        return f"translation of {self.source.text.where} by {self.system}"

    @cached_property
    def fingerprint(self) -> str:
        return sha256_of(self.blocks())

    @property
    def size(self) -> int:
        return self.source.text.size

    @property
    def files(self) -> tuple[Path, ...]:
        return ()

    def blocks(self, size: int = BLOCK) -> Iterator[bytes]:
        return in_blocks(self._shards(), size)

    def _shards(self) -> Iterator[bytes]:
        for number, (path, n_lines) in enumerate(zip(self.paths, self.source.lengths, strict=True), start=1):
            shard = read_shard(path, n_lines)
            if shard is None:
                said = f"{self.where}: shard {number} of {len(self.source.lengths)} is missing or damaged ({path});"
                raise ResourceError(f"{said} a rerun makes it again")
            yield shard

    def lines(self) -> tuple[str, ...]:
        return split_lines(b"".join(self.blocks()).decode("utf-8"))

    @cached_property
    def n_lost(self) -> int:
        """Lines with text that came back empty; a line that is blank in the source is so here too."""
        n_full = sum(bool(line.strip()) for shard in self._shards() for line in shard.decode("utf-8").split("\n"))
        return self.source.n_full - n_full if n_full < self.source.map.n_lines else 0

    @cached_property
    def paths(self) -> tuple[Path, ...]:
        """The files of its shards, named by everything that their content depends on."""
        sentences = "" if self.source.sentences is None else self.source.sentences.signature
        made_by = "\n".join(filter(None, ("translation 2", sentences, self.program.identity(self.model))))
        keys = [hashlib.sha256(f"{made_by}\n{source}".encode()).hexdigest() for source in self.source.digests]
        return tuple(self.folder / key[:2] / f"{key}.txt" for key in keys)

    def missing(self) -> list[int]:
        """The numbers of the shards that are not there, or damaged."""
        found = []
        for number, (path, n_lines) in enumerate(zip(self.paths, self.source.lengths, strict=True)):
            if read_shard(path, n_lines) is None:
                found.append(number)
                if path.exists():
                    LOG.warning("%s is damaged: its lines are translated again", path)
        return found


def translations(
    corpus: Corpus, systems: Sequence[tuple[str, Program, Path | None, Mapping[str, str]]], cache: str, shard_lines: int
) -> tuple[Translation, ...]:
    """One translation, still to be made, for each (system, program, model, metadata).

    The collection is cut into shards of whole documents, the test set, where there is one, into shards of lines;
    where both are the same text it is translated once. Raises `InputError` where the corpus has no source or where
    systems differ in nothing that their programs know, and what the programs miss, all at once.
    """
    errors: list[ClirbenchError] = []
    for _, program, model, _ in systems:
        with gathered(errors):
            program.check(model)
    raise_all(list({str(error): error for error in errors}.values()))  # a missing library is missed by every model
    if corpus.source is None or (corpus.test and corpus.test.source is None):
        raise InputError(
            "to translate, the source side is needed: put source.txt (or source.txt.gz) beside the reference, "
            "in the folder of the collection and in that of the test set; or name the documents, corpus.source=PATH"
        )
    if corpus.sentences is not None:
        corpus.sentences.check()
    collection = Shards(corpus.source, corpus.english.map, shard_lines, corpus.sentences)
    test_text = TextLines(corpus.test.source or ())
    test = Shards(test_text, DocumentMap.blocks_of(len(corpus.test)), shard_lines)
    once = corpus.sentences is None and test_text.fingerprint == corpus.source.fingerprint
    folder = Path(cache) / "translations"
    made: list[Translation] = []
    alike: dict[object, list[str]] = {}
    for system, program, model, metadata in systems:
        searched = MachineText(system, program, model, collection, folder)
        tested = searched if once else MachineText(system, program, model, test, folder)
        with gathered([]):  # a model that cannot be read is an error of its system, when its text is made
            alike.setdefault(searched.paths, []).append(str(model or system))
        made.append(Translation(system, tested if corpus.test else None, searched, metadata, maker=Translators()))
    for copies in alike.values():
        if len(copies) > 1:
            raise InputError(
                f"{first_ten(copies)}: these {len(copies)} systems are one: the same content, so the same translation; "
                "leave out all but one (systems.exclude=[NAME]), or give each the files of its model"
            )
    return tuple(made)


def machine_texts(made: Sequence[Translation], without: Container[str] = ()) -> Iterator[MachineText]:
    """The texts that programs make, one that is both test set and collection once, of all systems but `without`."""
    for translation in made:
        both: tuple[Any, ...] = (translation.test, translation.collection)
        if translation.system not in without:
            yield from dict.fromkeys(text for text in both if isinstance(text, MachineText))


@dataclass(frozen=True)
class Translators:
    """What a run asks of texts that programs make: `clirbench.types.Maker`."""

    def make(
        self,
        translations: Sequence[Translation],
        watch: Callable[..., Iterable[Any]],
        plan: Callable[[Iterable[tuple[str, str, str]]], None],
        pmap: Callable[..., Iterator[str]] | None,
    ) -> tuple[tuple[Translation, ...], dict[str, str]]:
        """Each shard is in the plan, with the reason where it cannot be made; a system that left more than `MOST_EMPTY`
        of a text empty has failed too. Raises where all systems failed, and `StoreError` where nothing can be kept."""
        shards = list(self.files(translations))
        plan((system, key, "") for system, key in shards)
        errors: dict[str, ClirbenchError] = {}
        work = missing_work(translations, errors)
        if work and pmap is None:
            n_shards = sum(len(numbers) for of_system in work.values() for _, numbers in of_system)
            deque(watch("translation", translate(work, errors), n_shards), maxlen=0)
        elif work and pmap:  # on other machines, a system each
            reasons = watch("translation", pmap(MakeShards(), list(work.values()), list(work)), len(work))
            errors |= {name: ResourceError(why) for name, why in zip(work, reasons, strict=True) if why}
        errors |= {
            text.system: ResourceError(
                f"{text.source.text.where}: {text.n_lost} of {text.source.n_full} lines with text came back empty; "
                "mend the program, then give it a new version to translate again"
            )
            for text in machine_texts(translations, errors)
            if text.n_lost > MOST_EMPTY * text.source.n_full
        }
        for system, error in errors.items():
            of_system = [(system, key, str(error)) for name, key in shards if name == system]
            plan(of_system or [(system, "", str(error))])
        if len(errors) == len(translations):
            raise_all(list(errors.values()))
        kept = (replace(t, test=None, collection=None) if t.system in errors else t for t in translations)
        return tuple(kept), {system: f"{system}: not translated: {error}" for system, error in errors.items()}

    def files(self, translations: Sequence[Translation]) -> Iterable[tuple[str, str]]:
        """(system, file of a shard below the cache) of every shard, there or not, of texts that can be read."""
        for translation in translations:
            with gathered([]):
                for text in machine_texts([translation]):
                    for path in text.paths:
                        yield translation.system, path.relative_to(text.folder.parent).as_posix()

    def notes(self, translations: Sequence[Translation]) -> Iterable[str]:
        """A note on each text, all made, of which many lines are empty."""
        return [
            f"{text.where}: {text.n_lost} of {text.source.n_full} lines with text came back empty"
            for text in machine_texts(translations)
            if text.n_lost and text.n_lost >= MANY_BLANK * text.source.n_full
        ]


Work = dict[str, list[tuple[MachineText, list[int]]]]
"""By system: its texts of which shards are still to be made, and the numbers of those."""


def missing_work(translations: Sequence[Translation], errors: dict[str, ClirbenchError]) -> Work:
    """What is still to be translated; adds systems that cannot be read to `errors`."""
    work: Work = {}
    for translation in translations:
        try:
            if rows := [(text, numbers) for text in machine_texts([translation]) if (numbers := text.missing())]:
                work[translation.system] = rows
        except ClirbenchError as error:
            errors[translation.system] = error
    return work


def translate(work: Work, errors: dict[str, ClirbenchError]) -> Iterator[str]:
    """Make every missing shard; the system's name after each. A system that fails is put into `errors`, others go on.

    What is done stays done: an interrupted run loses the lines that have not come back.
    """
    for system, of_system in work.items():
        try:
            yield from _make(of_system)
        except StoreError:  # nothing can be kept, whichever system it is
            raise
        except ClirbenchError as error:
            errors[system] = error


@dataclass(frozen=True)
class MakeShards:
    """Step: make the missing shards of one system; gives why it failed, or nothing."""

    alone: ClassVar[bool] = True

    def __call__(self, of_system: Sequence[tuple[MachineText, list[int]]]) -> str:
        errors: dict[str, ClirbenchError] = {}
        for _ in translate({"": list(of_system)}, errors):
            pass
        return "".join(map(str, errors.values()))


@dataclass(frozen=True, eq=False)
class _Job:
    """A shard: what is translated, the parts of one line of the text together, and what is there of it."""

    path: Path
    lines: list[list[str]]
    written: list[str]

    @property
    def waiting(self) -> list[str]:
        """The lines that have text, but for those that have come back already."""
        return [line for parts in self.lines for line in parts if line.strip()][len(self.written) :]

    def keep(self, seconds: float) -> None:
        """Keep what came back, blank lines as they were and the parts of a line joined, and its cost."""
        rest = iter(self.written)
        made = [" ".join(filter(None, (next(rest) if p.strip() else "" for p in parts))) for parts in self.lines]
        words = sum(len(part.split()) for parts in self.lines for part in parts)
        write_shard(self.path.with_suffix(".cost"), [f"{seconds:.6f} {words}"])
        write_shard(self.path, made)
        self.path.with_suffix(".part").unlink(missing_ok=True)


def _jobs(text: MachineText, numbers: Sequence[int]) -> Iterator[_Job]:
    first, cut = 1, text.source.sentences
    for shard, source in enumerate(text.source):
        if shard in numbers:
            if hashlib.sha256(packed(source)).hexdigest() != text.source.digests[shard]:
                where = f"{text.system}: {text.source.text.where}, lines {first} to {first + len(source) - 1}"
                raise InputError(f"{where}: changed while this run was reading it; run again")
            path = text.paths[shard]
            # What rules make of a line may depend on those before it.
            came = [] if text.program.kind == "rules" else _came(path.with_suffix(".part"))
            yield _Job(path, [[line] for line in source] if cut is None else [cut.cut(line) for line in source], came)
        first += len(source)


def _make(of_system: Sequence[tuple[MachineText, list[int]]]) -> Iterator[str]:
    """Stream the lines of a system's shards through its program, an empty line between two, and keep each that comes
    back; the system's name after each shard."""
    total, before = sum(len(numbers) for _, numbers in of_system), 0.0
    one = of_system[0][0]
    fed: queue.SimpleQueue[_Job] = queue.SimpleQueue()

    def lines() -> Iterator[str]:
        for number, job in enumerate(chain.from_iterable(starmap(_jobs, of_system)), 1):
            waiting = job.waiting
            fed.put(job)
            yield from waiting
            yield from [""] * (number < total)

    with one.program.started(one.model) as child:
        child.feed(lines(), last=True)
        for left in range(total - 1, -1, -1):
            while True:
                try:
                    job = fed.get(timeout=LOOK)
                    break
                except queue.Empty:
                    if not child.feeds:
                        child.finish()
                        raise child.miscounted() from None
            with _added(job.path.with_suffix(".part"), job.written) as add:
                for _ in job.waiting:
                    add(child.read())
            child.answer_empty() if left else child.finish()
            now = nan if one.program.kind == "server" else child.seconds()
            job.keep(max(0.0, now - before))
            before = now
            yield one.system


def _came(path: Path) -> list[str]:
    """The whole lines that came back of a shard before this run was stopped."""
    try:
        content = path.read_bytes()
        return list(split_lines(content[: content.rfind(b"\n") + 1].decode("utf-8")))
    except (OSError, UnicodeDecodeError):
        return []


@contextmanager
def _added(path: Path, written: list[str]) -> Iterator[Callable[[str], None]]:
    """Adds a line to those that came back and, at once, to the file of them; not to a file that another run adds to."""
    import fcntl

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab", buffering=0) as stream:
            files = []
            with suppress(BlockingIOError):
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.ftruncate(stream.fileno(), len(packed(written)))
                files.append(stream)

            def add(line: str) -> None:
                written.append(line)
                for file in files:
                    file.write(packed([line]))

            yield add
    except OSError as error:
        raise _unkept(path, error) from None


def costs(translations: Sequence[Translation]) -> dict[str, float]:
    """Processor seconds for a million words of the source of each system that programs made; NaN where nobody measured
    them."""
    spent: dict[str, list[float]] = {}
    for text in machine_texts(translations):
        total = spent.setdefault(text.system, [0.0, 0.0])
        for path in text.paths:
            kept = read_shard(path.with_suffix(".cost"), 1)
            seconds, words = (nan, 0) if kept is None else map(float, kept.split())
            total[0] += seconds
            total[1] += words
    return {system: MILLION * seconds / words if words else nan for system, (seconds, words) in spent.items()}


def packed(lines: Iterable[str]) -> bytes:
    """Lines as bytes, each ending in a newline."""
    return "".join(line + "\n" for line in lines).encode("utf-8", "replace")


def write_shard(path: Path, lines: Sequence[str]) -> None:
    """Write a shard so that it is there whole or not at all; raises `StoreError` where it cannot be written."""
    body = packed(lines)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
    except OSError as error:
        raise _unkept(path, error) from None


def read_shard(path: Path, n_lines: int | None = None) -> bytes | None:
    """The lines of a shard, of which there must be `n_lines`, as bytes; None where its file is missing or damaged."""
    if not path.is_file():  # a pipe would be waited for
        return None
    try:
        digest, _, body = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    whole = hashlib.sha256(body).hexdigest().encode() == digest and n_lines in (None, body.count(b"\n"))
    return body if whole else None


def _unkept(path: Path, error: OSError) -> StoreError:
    said = f"{path.parent}: a translation cannot be kept there ({error.strerror or error});"
    return StoreError(f"{said} free space, or name another folder with paths.cache=DIR")
