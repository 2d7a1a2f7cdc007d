"""Making translations: what is kept, what a rerun does, failures of one system, damage, the estimate."""

import logging
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from clirbench.corpora.base import Corpus
from clirbench.corpora.folder import FolderCorpus
from clirbench.engines.local import Processes
from clirbench.errors import ClirbenchError, Problems, ResourceError, StoreError
from clirbench.labs.models.translating.base import Translate
from clirbench.labs.models.translating.making import Progress, translate
from clirbench.labs.models.translating.making import missing_work as lacking
from clirbench.labs.models.translating.text import MachineText
from clirbench.labs.models.translating.translation import (
    OfCheckpoints,
    complete_translations,
    engine_notes,
    machine_translations,
)
from clirbench.text import TextFile
from clirbench.types import EMPTY, Translation
from tests.systems.sides import GERMAN, folder_corpus, two_sided, write

DICTIONARY = {"der": "the", "die": "the", "das": "the", "Hund": "dog", "Katze": "cat", "Haus": "house", "ist": "is"}


@dataclass(frozen=True)
class Glossary(OfCheckpoints):
    """A whole translator, word by word from a table; it notes what it was given, and stops at a word of choice."""

    words: Mapping[str, str] = field(default_factory=lambda: DICTIONARY, hash=False)
    stops_at: str = ""
    given: list[str] = field(default_factory=list, hash=False, compare=False)
    loads: list[str] = field(default_factory=list, hash=False, compare=False)

    @property
    def signature(self) -> str:
        return "glossary"

    def check(self, model: Path | None) -> None:
        return None

    def fingerprint(self, model: Path | None) -> str:
        return repr(sorted(self.words.items())) if model is None else TextFile(model).fingerprint

    @contextmanager
    def loaded(self, model: Path | None) -> Iterator[Translate]:
        self.loads.append("in")

        def write_english(lines: Sequence[str]) -> list[str]:
            self.given.extend(lines)
            if self.stops_at and any(self.stops_at in line.split() for line in lines):
                raise ResourceError(f"the glossary has no {self.stops_at}")
            return [" ".join(self.words.get(word, word) for word in line.split()) for line in lines]

        try:
            yield write_english
        finally:
            self.loads.append("out")


def unwatched(title: str, values: Iterable[Progress], total: int) -> Iterable[Progress]:
    return values


def made(corpus: Corpus, cache: Path, translators: Mapping[str, Glossary], size: int = 2) -> tuple[Translation, ...]:
    systems = [(name, translator, None, EMPTY) for name, translator in translators.items()]
    return machine_translations(corpus, systems, str(cache), size)


def test_both_sides_are_translated_and_blank_lines_stay_empty(tmp_path: Path) -> None:
    corpus, glossary = two_sided(tmp_path), Glossary()
    (translation,), errors = complete_translations(made(corpus, tmp_path / "cache", {"a": glossary}), unwatched)
    assert not errors
    assert translation.test is not None
    assert translation.collection is not None
    assert translation.test.lines() == ("guten Morgen", "gute Nacht")
    assert translation.collection.lines() == (
        "the dog is groß", "the cat schläft", "", "wo is the house", "ein rotes Buch",
    )  # fmt: skip
    assert "" not in glossary.given
    assert glossary.loads == ["in", "out"]  # both sides in one loading
    assert b"".join(translation.collection.blocks(1)) == b"".join(translation.collection.blocks())


def test_one_text_for_both_sides_is_translated_once(tmp_path: Path) -> None:
    corpus, glossary = folder_corpus(tmp_path / "d"), Glossary()
    (translation,), _ = complete_translations(made(corpus, tmp_path / "cache", {"a": glossary}), unwatched)
    assert translation.test is translation.collection
    assert glossary.given == [line for line in GERMAN if line]


def test_a_rerun_does_what_is_missing(tmp_path: Path) -> None:
    corpus, cache, again = folder_corpus(tmp_path / "d"), tmp_path / "cache", Glossary()
    first, _ = complete_translations(made(corpus, cache, {"a": Glossary()}), unwatched)
    second, _ = complete_translations(made(corpus, cache, {"renamed": again}), unwatched)
    assert again.given == []
    assert again.loads == []
    assert [t.collection.fingerprint for t in first if t.collection] == [
        t.collection.fingerprint for t in second if t.collection
    ]
    changed = list(GERMAN)
    changed[4] = "ein blaues Buch"
    write(tmp_path / "d" / "source.txt", changed)
    corpus = folder_corpus(tmp_path / "d", source=tuple(changed))
    complete_translations(made(corpus, cache, {"a": again}), unwatched)
    assert again.given == ["ein blaues Buch"]
    other = Glossary({"der": "The"})
    complete_translations(made(corpus, cache, {"a": other}), unwatched)
    assert len(other.given) == 4


def test_another_model_content_is_translated_anew_and_the_same_under_another_path_is_not(tmp_path: Path) -> None:
    corpus, glossary = folder_corpus(tmp_path / "d"), Glossary()

    def run(path: Path, content: str) -> int:
        glossary.given.clear()
        model = write(path, [content])
        complete_translations(
            machine_translations(corpus, [("a", glossary, model, EMPTY)], str(tmp_path / "cache"), 2), unwatched
        )
        return len(glossary.given)

    assert run(tmp_path / "m1", "weights") == 4
    assert run(tmp_path / "m2", "weights") == 0
    assert run(tmp_path / "m2", "other weights") == 4


def test_a_failing_system_does_not_stop_the_others_and_keeps_what_it_did(tmp_path: Path) -> None:
    corpus, cache = folder_corpus(tmp_path / "d"), tmp_path / "cache"
    translators = {"bad": Glossary(stops_at="Haus"), "good": Glossary({})}
    found, errors = complete_translations(made(corpus, cache, translators), unwatched)
    assert {name: str(error) for name, error in errors.items()} == {"bad": "the glossary has no Haus"}
    assert [(t.system, t.test is None, t.collection is None) for t in found] == [
        ("bad", True, True), ("good", False, False),
    ]  # fmt: skip
    assert translators["bad"].loads == ["in", "out"]
    mended = Glossary()
    complete_translations(made(corpus, cache, {"bad": mended}), unwatched)
    assert mended.given == ["wo ist das Haus", "ein rotes Buch"]  # the first shard was kept


def test_where_all_fail_the_run_ends(tmp_path: Path) -> None:
    corpus = folder_corpus(tmp_path / "d")
    translators = {"a": Glossary(stops_at="Hund"), "b": Glossary({}, stops_at="Haus")}
    with pytest.raises(Problems, match="no Hund\n.*no Haus"):
        complete_translations(made(corpus, tmp_path / "cache", translators), unwatched)


def test_a_model_that_vanished_is_the_failure_of_one_system(tmp_path: Path) -> None:
    corpus = folder_corpus(tmp_path / "d")
    systems = [("gone", Glossary(), tmp_path / "gone", EMPTY), ("good", Glossary(), None, EMPTY)]
    found, errors = complete_translations(machine_translations(corpus, systems, str(tmp_path / "cache"), 2), unwatched)
    assert list(errors) == ["gone"]
    assert [t.collection is None for t in found] == [True, False]


def test_a_damaged_shard_is_made_again_and_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    corpus, cache, again = folder_corpus(tmp_path / "d"), tmp_path / "cache", Glossary()
    (translation,), _ = complete_translations(made(corpus, cache, {"a": Glossary()}), unwatched)
    text = translation.collection
    assert isinstance(text, MachineText)
    before = text.lines()
    text.paths[1].write_bytes(text.paths[1].read_bytes()[:-2])
    with pytest.raises(ResourceError, match="shard 2 of 3 is missing or damaged"):
        text.lines()
    with caplog.at_level(logging.WARNING):
        complete_translations(made(corpus, cache, {"a": again}), unwatched)
    assert "is damaged: its lines are translated again" in caplog.text
    assert again.given == ["wo ist das Haus"]
    assert text.lines() == before


def test_a_store_that_cannot_be_written_ends_the_run(tmp_path: Path) -> None:
    corpus = folder_corpus(tmp_path / "d")
    write(tmp_path / "cache", ["a file"])
    glossaries = {"a": Glossary(), "b": Glossary({})}
    with pytest.raises(StoreError, match="cannot be kept"):
        complete_translations(made(corpus, tmp_path / "cache", glossaries), unwatched)
    assert glossaries["b"].given == []


def test_ctrl_c_loses_the_shard_in_hand(tmp_path: Path) -> None:
    corpus, cache, rest = folder_corpus(tmp_path / "d"), tmp_path / "cache", Glossary()

    def pressed(title: str, values: Iterable[Progress], total: int) -> Iterator[Progress]:
        for number, value in enumerate(values, start=1):
            if number == 2:
                raise KeyboardInterrupt
            yield value

    stopped = Glossary()
    with pytest.raises(KeyboardInterrupt):
        complete_translations(made(corpus, cache, {"a": stopped}), pressed)
    assert stopped.loads == ["in", "out"]
    complete_translations(made(corpus, cache, {"a": rest}), unwatched)
    assert rest.given == ["ein rotes Buch"]


@dataclass(frozen=True)
class Pid:
    """A translator that writes the process it is loaded in; it ends that process at a word of choice."""

    dies_at: str = ""
    signature: str = "pid"

    def check(self, model: Path | None) -> None:
        return None

    def fingerprint(self, model: Path | None) -> str:
        return "-"

    @contextmanager
    def loaded(self, model: Path | None) -> Iterator[Translate]:
        number = f"{os.getpid()}-{time.monotonic_ns()}"

        def write(lines: Sequence[str]) -> list[str]:
            if self.dies_at and self.dies_at in " ".join(lines):
                os.kill(os.getpid(), signal.SIGKILL)
            return [number] * len(lines)

        yield write


def test_the_engine_s_worker_loads_the_model_and_the_parent_sees_what_it_keeps(tmp_path: Path) -> None:
    corpus = two_sided(tmp_path)
    shown: list[Progress] = []

    def watch(title: str, values: Iterable[Progress], total: int) -> Iterator[Progress]:
        for value in values:
            shown.append(value)
            yield value
        assert len(shown) == total

    systems = [("a", Pid(), None, EMPTY), ("b", Pid(signature="other"), None, EMPTY)]
    made = machine_translations(corpus, systems, str(tmp_path / "cache"), 2)
    found, errors = complete_translations(made, watch, pmap=Processes(2).pmap)
    assert not errors
    written = [line for t in found for text in (t.test, t.collection) if text for line in text.lines() if line]
    assert len(set(written)) == 2  # each model is loaded once, for both sides
    pids = {line.partition("-")[0] for line in written}
    assert len(pids) == 1  # a machine translates with one model at a time
    assert str(os.getpid()) not in pids
    assert (shown[-1].lines_done, shown[-1].seconds_left) == (shown[-1].lines_total, 0.0)


def test_what_a_killed_worker_kept_is_not_made_again(tmp_path: Path) -> None:
    corpus, cache = folder_corpus(tmp_path / "d"), str(tmp_path / "cache")
    with pytest.raises(ResourceError, match="a worker process was killed"):
        complete_translations(
            machine_translations(corpus, [("a", Pid("Haus"), None, EMPTY)], cache, 2), unwatched, pmap=Processes(2).pmap
        )
    (kept,) = (path.read_bytes() for path in (tmp_path / "cache").rglob("*.txt"))
    (again,), _ = complete_translations(machine_translations(corpus, [("a", Pid(), None, EMPTY)], cache, 2), unwatched)
    assert again.collection is not None
    assert again.collection.lines()[0].encode() in kept
    assert again.collection.lines()[0] != again.collection.lines()[3]


def test_workers_tell_which_system_failed_and_that_nothing_can_be_kept(tmp_path: Path) -> None:
    corpus = folder_corpus(tmp_path / "d")
    translators = {"bad": Glossary(stops_at="Haus"), "good": Glossary({})}
    found, errors = complete_translations(
        made(corpus, tmp_path / "cache", translators), unwatched, pmap=Processes(2).pmap
    )
    assert {name: str(error) for name, error in errors.items()} == {"bad": "the glossary has no Haus"}
    assert [t.collection is None for t in found] == [True, False]
    write(tmp_path / "no", ["a file"])
    with pytest.raises(StoreError, match="cannot be kept"):
        complete_translations(made(corpus, tmp_path / "no", {"a": Glossary()}), unwatched, pmap=Processes(2).pmap)


def test_what_was_kept_meanwhile_is_not_translated_again(tmp_path: Path) -> None:
    corpus, errors, late = folder_corpus(tmp_path / "d"), dict[str, ClirbenchError](), Glossary()
    work = lacking(made(corpus, tmp_path / "cache", {"a": late}), errors)
    complete_translations(made(corpus, tmp_path / "cache", {"b": Glossary()}), unwatched)
    assert [p.lines_done for p in translate(work, errors)] == [2, 4, 5]
    assert late.given == []


def test_a_source_that_changed_under_a_worker_is_not_kept_under_the_old_name(tmp_path: Path) -> None:
    corpus, errors = folder_corpus(tmp_path / "d"), dict[str, ClirbenchError]()
    work = lacking(made(corpus, tmp_path / "cache", {"a": Glossary()}), errors)
    changed = list(GERMAN)
    changed[4] = "ein blaues Buch"
    write(tmp_path / "d" / "source.txt", changed)
    assert len(list(translate(work, errors))) == 2
    assert "lines 5 to 5: changed while this run was reading it" in str(errors["a"])


def ticking(step: float) -> Callable[[], float]:
    ticks = iter(range(1_000_000))
    return lambda: step * next(ticks)


def test_the_estimate_takes_the_speed_so_far(tmp_path: Path) -> None:
    """Two shards of 2 lines and one of 1; the clock moves 10 s a shard: 10 s for 2 of 5 lines leave 15 s for 3."""
    work = lacking(made(folder_corpus(tmp_path / "d"), tmp_path / "cache", {"a": Glossary()}), {})
    shown = list(translate(work, {}, ticking(10.0)))
    assert [(p.lines_done, p.lines_total, p.seconds_left) for p in shown] == [(2, 5, 15.0), (4, 5, 5.0), (5, 5, 0.0)]


def test_lines_of_a_failed_system_do_not_count_as_left(tmp_path: Path) -> None:
    corpus, errors = folder_corpus(tmp_path / "d"), dict[str, ClirbenchError]()
    work = lacking(made(corpus, tmp_path / "c", {"a": Glossary(stops_at="Haus"), "b": Glossary({})}), errors)
    shown = list(translate(work, errors, ticking(1.0)))
    assert [(p.system, p.lines_done, p.lines_total) for p in shown] == [
        ("a", 2, 10), ("b", 4, 7), ("b", 6, 7), ("b", 7, 7),
    ]  # fmt: skip


SOURCE = tuple(f"Zeile {n}" for n in range(38)) + ("", " ")
"""40 lines, 38 of them with text."""


@dataclass(frozen=True)
class Silent(Glossary):
    """A translator that leaves the first `n` numbered lines empty."""

    n: int = 0

    @contextmanager
    def loaded(self, model: Path | None) -> Iterator[Translate]:
        yield lambda lines: ["" if int(line.split()[1]) < self.n else line for line in lines]


def half_empty(root: Path, n_empty: int) -> tuple[list[str], list[str]]:
    """(errors, notes) where a translator leaves the first lines of the source empty, and where that is read again."""
    write(root / "d" / "reference.txt", [f"line {n}" for n in range(40)])
    write(root / "d" / "source.txt", SOURCE)
    corpus = FolderCorpus(str(root / "d")).read()
    said = []
    for _ in range(2):
        translators = {"good": Silent({"good": ""}), "bad": Silent({"bad": ""}, n=n_empty)}
        found, errors = complete_translations(
            made(corpus, root / "cache", translators, 10), lambda title, values, total: values
        )
        assert [t.system for t in found if t.collection is None] == list(errors)
        said.append(([*map(str, errors.values())], list(engine_notes(found))))
    assert said[0] == said[1], "what is kept says what was said when it was made"
    return said[0]


@dataclass(frozen=True)
class Starred(Glossary):
    """A translator that knows no word and says so."""

    @contextmanager
    def loaded(self, model: Path | None) -> Iterator[Translate]:
        yield lambda lines: [f"*{line}" for line in lines]


def test_marks_of_unknown_words_are_a_note(tmp_path: Path) -> None:
    write(tmp_path / "reference.txt", [f"line {n}" for n in range(40)])
    write(tmp_path / "source.txt", SOURCE)
    corpus = FolderCorpus(str(tmp_path)).read()
    translators = {"plain": Silent({"plain": ""}), "marked": Starred({"marked": ""})}
    found, _ = complete_translations(made(corpus, tmp_path / "c", translators, 10), lambda title, values, total: values)
    (note,) = engine_notes(found)
    assert "source.txt by marked: 38 of 40 lines have a star before a word" in note


def test_empty_answers_are_said_and_many_are_an_error(tmp_path: Path) -> None:
    """Of 38 lines with text, 1 is less than 5 %, 2 are more; 19 are half, 20 are more than half."""
    assert half_empty(tmp_path / "1", 1) == ([], [])
    errors, (note,) = half_empty(tmp_path / "2", 2)
    assert not errors
    assert note.endswith("source.txt by bad: 2 of 38 lines with text came back empty")
    assert half_empty(tmp_path / "3", 19)[0] == []
    (error,), notes = half_empty(tmp_path / "4", 20)
    assert "20 of 38 lines with text came back empty" in error
    assert not notes
