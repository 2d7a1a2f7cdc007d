"""Translations that are still to be made: which shards are missing, and the loop that makes them.

    translations(corpus)                       lists systems whose texts are `MachineText`s; nothing runs (check=true)
    complete_translations(translations, watch) makes and keeps what is missing; a failed system stops no other
    MachineText.blocks(), .lines()   read what was kept

A system is a task of the engine, which alone loads the model: shards are seen where they are kept, as they are made.
"""

import hashlib
import logging
import threading
import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import cached_property
from math import nan
from pathlib import Path
from typing import Any, ClassVar

from clirbench.corpora.base import Corpus
from clirbench.corpora.sentences import SentenceSplitter
from clirbench.errors import ClirbenchError, InputError, ResourceError, StoreError, gathered, raise_all
from clirbench.labs.models.translating.base import Translate, Translator, translate_lines
from clirbench.labs.models.translating.cost import metered, per_million_words, write_cost
from clirbench.labs.models.translating.shards import Shards, digest_of, read_shard, write_shard
from clirbench.systems.health import MANY_BLANK, marked_lines, marks_note
from clirbench.systems.metadata import joined_metadata
from clirbench.text import BLOCK, TextLines, in_blocks, sha256_of, split_lines
from clirbench.types import EMPTY, DocumentMap, Translation

VERSION = "translation 1"
MOST_EMPTY = 0.5
"""Share of the lines with text above which empty ones are an error; from `MANY_BLANK` on they are a note."""
TRANSLATIONS = "translations"
"""The folder of the shards, below the cache."""
LOOK = 0.5
LOG = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class MachineText:
    """What a translator makes of a source text, shard by shard, kept under `folder`.

    A `Text` like any other once every shard is there; before that, reading it raises `ResourceError`. With
    `sentences`, a line is a document that is cut for the translator.
    """

    system: str
    translator: Translator
    model: Path | None
    source: Shards
    folder: Path
    sentences: SentenceSplitter | None = None

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
                raise ResourceError(
                    f"{self.where}: shard {number} of {len(self.source)} is missing or damaged ({path}); "
                    "a rerun makes it again"
                )
            yield shard

    def lines(self) -> tuple[str, ...]:
        return split_lines(b"".join(self.blocks()).decode("utf-8"))

    @cached_property
    def n_lost(self) -> int:
        """Lines with text that came back empty; a line that is blank in the source is so here too."""
        n_full = sum(bool(line.strip()) for shard in self._shards() for line in shard.decode("utf-8").split("\n"))
        return self.source.n_full - n_full if n_full < self.source.n_lines else 0

    @property
    def loss(self) -> str:
        """How many lines came back empty, in words."""
        return f"{self.n_lost} of {self.source.n_full} lines with text came back empty"

    @cached_property
    def n_marked(self) -> int:
        """By how many more lines than the source has it holds a word with a star before it."""
        return sum(map(marked_lines, self._shards())) - sum(map(marked_lines, self.source.text.blocks()))

    @cached_property
    def paths(self) -> tuple[Path, ...]:
        """The file of each shard, named by everything that its content depends on."""
        cut = () if self.sentences is None else (self.sentences.signature,)
        made_by = "\n".join((VERSION, self.translator.signature, self.translator.fingerprint(self.model), *cut))
        keys = [hashlib.sha256(f"{made_by}\n{source}".encode()).hexdigest() for source in self.source.digests]
        return tuple(self.folder / key[:2] / f"{key}.txt" for key in keys)


@dataclass(frozen=True)
class PendingShards:
    """The shards of one text that are still to be made."""

    text: MachineText
    missing: tuple[int, ...]

    @property
    def n_lines(self) -> int:
        return sum(self.text.source.lengths[number] for number in self.missing)


@dataclass(frozen=True)
class Translators:
    """What a run asks of texts that translators make: `clirbench.types.Maker`."""

    def make(
        self,
        translations: Sequence[Translation],
        watch: Callable[..., Iterable[Any]],
        plan: Callable[[Iterable[tuple[str, str, str]]], None],
        pmap: Callable[..., Iterator[str]] | None,
    ) -> tuple[tuple[Translation, ...], dict[str, str]]:
        """As `complete_translations`; each shard is in the plan, with the reason where it cannot be made."""
        shards = list(shard_keys(translations))
        plan((system, key, "") for system, key in shards)

        def note(failed: str, reason: str) -> None:
            plan([(failed, key, reason) for system, key in shards if system == failed] or [(failed, "", reason)])

        completed, errors = complete_translations(translations, watch, note, pmap)
        return completed, {system: f"{system}: not translated: {error}" for system, error in errors.items()}

    def missing(self, translations: Sequence[Translation]) -> Iterable[MachineText]:
        """The texts of which a shard is missing."""
        return {work.text for work in missing_work(translations, {})}

    def files(self, translations: Sequence[Translation]) -> Iterable[tuple[str, str]]:
        """As `shard_keys`."""
        return shard_keys(translations)

    def notes(self, translations: Sequence[Translation]) -> Iterable[str]:
        """As `engine_notes`."""
        return engine_notes(translations)


class OfCheckpoints:
    """What `systems=checkpoints systems.model=PATTERN` asks of a translator: it serves every model, unless `of` says
    which one does."""

    def of(self, model: Path) -> Translator:
        """The translator of a model; raises `ResourceError` where no translator is made for it."""
        assert isinstance(self, Translator)
        return self

    def translations(
        self, corpus: Corpus, models: Sequence[tuple[str, Path, Mapping[str, str]]], cache: str, shard_lines: int
    ) -> tuple[Translation, ...]:
        """One translation, still to be made, for each (system, model, metadata); raises all that is missing at once."""
        errors: list[ClirbenchError] = []
        checked: list[tuple[str, Translator, Path | None, Mapping[str, str]]] = []
        for name, model, metadata in models:
            with gathered(errors):
                translator = self.of(model)
                translator.check(model)
                checked.append((name, translator, model, metadata))
        found: tuple[Translation, ...] = ()
        with gathered(errors):
            found = machine_translations(corpus, checked, cache, shard_lines)
        raise_all(list({str(error): error for error in errors}.values()))  # a missing library is missed by every model
        return found


@dataclass(frozen=True)
class Progress:
    """One more shard is done: by whom, how far the whole work is, and an estimate of the seconds that are left."""

    system: str
    lines_done: int
    lines_total: int
    seconds_left: float


def machine_translations(
    corpus: Corpus,
    models: Sequence[tuple[str, Translator, Path | None, Mapping[str, str]]],
    cache: str,
    shard_lines: int,
) -> tuple[Translation, ...]:
    """One translation, still to be made, for each (system, translator, model, metadata).

    The collection is cut into shards of whole documents, the test set, where there is one, into shards of lines;
    where both are the same text it is translated once. Raises `InputError` where the corpus has no source, and what
    each translator misses.
    """
    if corpus.source is None or (corpus.test and corpus.test.source is None):
        raise InputError(
            "to translate, the source side is needed: put source.txt (or source.txt.gz) beside the reference, "
            "in the folder of the collection and in that of the test set; or name the documents, corpus.source=PATH"
        )
    if corpus.sentences is not None:
        corpus.sentences.check()
    collection = Shards(corpus.source, corpus.english.map, shard_lines)
    test_text = TextLines(corpus.test.source or ())
    test = Shards(test_text, DocumentMap.blocks_of(len(corpus.test)), shard_lines)
    once = corpus.sentences is None and test_text.fingerprint == corpus.source.fingerprint
    folder = Path(cache) / TRANSLATIONS
    made = []
    for system, translator, model, metadata in models:
        searched = MachineText(system, translator, model, collection, folder, corpus.sentences)
        tested = searched if once else MachineText(system, translator, model, test, folder)
        tested_on = tested if corpus.test else None
        made.append(Translation(system, tested_on, searched, metadata, maker=Translators()))
    return tuple(made)


def named_translations(
    corpus: Corpus,
    key: str,
    translators: Mapping[str, Translator],
    cache: str,
    shard_lines: int,
    metadata: str | None = None,
) -> tuple[Translation, ...]:
    """One translation, still to be made, for each name of a translator that needs no model of this machine.

    `metadata`: a table with further columns by `system`. Raises what `machine_translations` and each translator's
    `check` raise, and `InputError`, which begins with `key`, for a name with a slash or a control character; all
    at once.
    """
    errors: list[ClirbenchError] = [
        InputError(f"{key}: the name {name!r} holds a slash or a control character; choose another")
        for name in map(str, translators)
        if "/" in name or not name.isprintable()
    ]
    for translator in translators.values():
        with gathered(errors):
            translator.check(None)
    found: tuple[Translation, ...] = ()
    with gathered(errors):
        described = joined_metadata(metadata, {str(name): EMPTY for name in translators})
        systems = [(str(name), translator, None, described[str(name)]) for name, translator in translators.items()]
        found = machine_translations(corpus, systems, cache, shard_lines)
    raise_all(errors)
    return found


def shard_keys(translations: Sequence[Translation]) -> Iterator[tuple[str, str]]:
    """(system, file of a shard below the cache) of every shard that translators make, whether or not it is there.

    Systems whose texts cannot be read have none.
    """
    for translation in translations:
        with gathered([]):
            for text in machine_texts([translation]):
                for path in text.paths:
                    yield translation.system, path.relative_to(text.folder.parent).as_posix()


def complete_translations(
    translations: Sequence[Translation],
    watch: Callable[[str, Iterable[Progress], int], Iterable[Progress]],
    note: Callable[[str, str], None] = lambda system, reason: None,
    pmap: Callable[..., Iterator[str]] | None = None,
) -> tuple[tuple[Translation, ...], dict[str, ClirbenchError]]:
    """Translate what is still to be translated; `watch(title, values, total)` shows how far it is, and
    `note(system, reason)` is told of each system that failed. `pmap`: an engine's; None: in this process.

    Returns the translations, those of systems that failed without texts (a hole in every column), and why they failed;
    a system that left more than `MOST_EMPTY` of a text empty has failed too. Raises where all systems failed, and
    `StoreError` where nothing can be kept.
    """
    errors: dict[str, ClirbenchError] = {}
    work = missing_work(translations, errors)
    n_shards = sum(len(lacking.missing) for lacking in work)
    if n_shards:
        made = translate(work, errors) if pmap is None else handed_out(work, errors, pmap)
        for _ in watch("translation", made, n_shards):
            pass
    errors |= {
        text.system: ResourceError(
            f"{text.source.text.where}: {text.loss}; mend the translator, then give it a new version to translate again"
        )
        for text in machine_texts(translations, errors)
        if text.n_lost > MOST_EMPTY * text.source.n_full
    }
    for system, error in errors.items():
        note(system, str(error))
    if len(errors) == len(translations):
        raise_all(list(errors.values()))
    kept = (replace(t, test=None, collection=None) if t.system in errors else t for t in translations)
    return tuple(kept), errors


def engine_notes(translations: Sequence[Translation]) -> Iterator[str]:
    """A note on each text, all made, of which a translator left many lines empty, or marked words of many."""
    for text in machine_texts(translations):
        if text.n_lost and text.n_lost >= MANY_BLANK * text.source.n_full:
            yield f"{text.where}: {text.loss}"
        if marked := marks_note(text.n_marked, text.source.n_lines):
            yield f"{text.where}: {marked}"


def engine_costs(translations: Sequence[Translation]) -> dict[str, float]:
    """Processor seconds for a million words of the source of each system that a translator made; NaN where nobody
    measured them."""
    paths: dict[str, list[Path]] = {}
    for text in machine_texts(translations):
        paths.setdefault(text.system, []).extend(text.paths)
    return {system: per_million_words(shards) for system, shards in paths.items()}


def machine_texts(translations: Sequence[Translation], without: Container[str] = ()) -> Iterator[MachineText]:
    """The texts that translators make, one that is both test set and collection once, of all systems but `without`."""
    for translation in translations:
        both: tuple[Any, ...] = (translation.test, translation.collection)
        if translation.system not in without:
            yield from dict.fromkeys(text for text in both if isinstance(text, MachineText))


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
