"""Systems whose texts translators make.

translations(corpus)                       lists them, with texts that are `MachineText`s; nothing runs (check=true)
complete_translations(translations, watch) makes and keeps what is missing; a failed system stops no other
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from clirbench.corpora.alignment import first_ten
from clirbench.corpora.base import Corpus
from clirbench.errors import ClirbenchError, InputError, ResourceError, gathered, raise_all
from clirbench.labs.models.translating.base import Translator
from clirbench.labs.models.translating.cost import per_million_words
from clirbench.labs.models.translating.making import Progress, handed_out, missing_work, translate
from clirbench.labs.models.translating.shards import Shards
from clirbench.labs.models.translating.text import MachineText, machine_texts
from clirbench.systems.base import MOST_EMPTY
from clirbench.systems.health import MANY_BLANK, marks_note
from clirbench.systems.metadata import joined_metadata
from clirbench.text import TextLines
from clirbench.types import EMPTY, DocumentMap, Translation

TRANSLATIONS = "translations"
"""The folder of the shards, below the cache."""


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


def machine_translations(
    corpus: Corpus,
    models: Sequence[tuple[str, Translator, Path | None, Mapping[str, str]]],
    cache: str,
    shard_lines: int,
) -> tuple[Translation, ...]:
    """One translation, still to be made, for each (system, translator, model, metadata).

    The collection is cut into shards of whole documents, the test set, where there is one, into shards of lines;
    where both are the same text it is translated once. Raises `InputError` where the corpus has no source or where
    systems differ in nothing that their translator knows, and what each translator misses.
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
    made: list[Translation] = []
    alike: dict[str, list[str]] = {}
    for system, translator, model, metadata in models:
        searched = MachineText(system, translator, model, collection, folder, corpus.sentences)
        tested = searched if once else MachineText(system, translator, model, test, folder)
        with gathered([]):  # a model that cannot be read is an error of its system, when its text is made
            alike.setdefault(searched.made_by, []).append(str(model or system))
        tested_on = tested if corpus.test else None
        made.append(Translation(system, tested_on, searched, metadata, maker=Translators()))
    raise_all([_same_content(copies) for copies in alike.values() if len(copies) > 1])
    return tuple(made)


def _same_content(copies: Sequence[str]) -> InputError:
    return InputError(
        f"{first_ten(copies)}: these {len(copies)} systems are one: the same content, so the same translation; "
        "leave out all but one (systems.exclude=[NAME]), or give each the files of its model"
    )


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
