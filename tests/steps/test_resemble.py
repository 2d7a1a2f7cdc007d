"""Near-copies and copies of the reference, planted in the text of the demo."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest

from clirbench.corpora.base import Corpus
from clirbench.corpora.manifest import DemoCorpus
from clirbench.engines.base import Engine
from clirbench.engines.local import Serial
from clirbench.errors import ConfigError, NothingCompared
from clirbench.experiment import distinct, looked_over, pass_over, run
from clirbench.metrics.bleu import BLEU
from clirbench.metrics.chrf import ChrF
from clirbench.result import Experiment, Inputs, no_watch
from clirbench.store.cached import Cached
from clirbench.store.store import Store
from clirbench.systems.files import DemoSystems
from clirbench.systems.likeness import Resemblances
from clirbench.text import TextLines
from clirbench.types import Translation

CORPUS = DemoCorpus().read()
REFERENCE = CORPUS.test.references[0]
MADE = {t.system: t.test.lines() for t in DemoSystems().translations(CORPUS) if t.test and t.system.endswith("-2")}
"""Eight damaged texts, no two of which share .9 of their 4-grams."""


def translation(system: str, lines: Sequence[str]) -> Translation:
    return Translation(system, TextLines(tuple(lines)), None)


def edited(lines: Sequence[str], every: int) -> list[str]:
    """Every so many lines lose their first word."""
    return [line.partition(" ")[2] if i % every == 0 else line for i, line in enumerate(lines)]


PLANTED = tuple(
    translation(name, lines)
    for name, lines in {
        **MADE,
        "near lost_words": edited(MADE["lost_words-2"], 20),
        "copy": REFERENCE,
        "half": [line if i % 2 else MADE["lost_words-2"][i] for i, line in enumerate(REFERENCE)],
    }.items()
)


def resemblances(corpus: Corpus, systems: Sequence[Translation], engine: Engine | None = None) -> Resemblances:
    asked, inputs = (
        replace(experiment(Held(())), engine=engine or Serial(), metrics=()),
        Inputs(corpus, tuple(systems), {}),
    )
    return looked_over(asked, inputs, pass_over(asked, inputs, {}, no_watch))[1]


def test_what_was_planted_is_found_and_nothing_else() -> None:
    found = resemblances(CORPUS, PLANTED)
    assert list(found.near) == [("lost_words-2", "near lost_words")]
    assert found.near["lost_words-2", "near lost_words"] >= 0.9
    assert [(system, found.repeated[system] >= 0.5) for system in found.copies] == [("copy", True), ("half", True)]
    assert (found.copies["copy"], found.repeated["copy"]) == (1, 1)


def test_names_alone_are_no_evidence() -> None:
    alike = [replace(t, system=f"model_{i}000") for i, t in enumerate(PLANTED[:8])]
    assert resemblances(CORPUS, alike).near == {}


def test_a_rerun_reads_no_text_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Cached(Serial(), Store(tmp_path))
    made = resemblances(CORPUS, PLANTED, engine)
    monkeypatch.setattr("clirbench.systems.likeness.sketch", None)
    assert resemblances(CORPUS, PLANTED, engine) == made


@dataclass(frozen=True, eq=False)
class Held:
    """The corpus of the demo and some systems."""

    systems: tuple[Translation, ...]

    def read(self) -> Corpus:
        return CORPUS

    def translations(self, corpus: Corpus) -> Sequence[Translation]:
        return self.systems


class Simulated(Held):
    made_from_reference: ClassVar[bool] = True


def experiment(source: Held) -> Experiment:
    return Experiment("by hand", Serial(), source, source, metrics=(ChrF(beta=1), BLEU()))


def test_copies_of_the_reference_are_left_out_and_near_copies_are_one_system() -> None:
    result = run(experiment(Held(PLANTED)))
    assert set(result.board.systems) == {*MADE, "near lost_words"}
    assert (result.units.source, result.units.number) == ("near-copies", 8)
    copied, halved, together = (note for note in result.notes if "share" in note or "copies" in note)
    assert copied == (
        "copy copies the reference (100 % of its word 4-grams are the same, 100 % of its lines) and is left out; "
        "keep_copies=true keeps it"
    )
    assert halved.startswith("half copies the reference")
    assert together.startswith(
        "near-copies count as one system: lost_words-2, near lost_words; near-copies share more than "
    )
    assert together.endswith("if they were made independently, units=none")
    alone = run(replace(experiment(Held(PLANTED)), units="none"))
    assert alone.units.independent
    assert not any("near-copies" in note for note in alone.notes)


def test_copies_are_kept_when_asked_for() -> None:
    kept = run(replace(experiment(Held(PLANTED)), keep_copies=True))
    assert {"copy", "half"} < set(kept.board.systems)
    assert any(note.startswith("copy copies the reference") and "left out" not in note for note in kept.notes)


def test_systems_that_are_made_from_the_reference_are_not_compared() -> None:
    result = run(experiment(Simulated(PLANTED)))
    assert {"copy", "half"} < set(result.board.systems)
    assert result.units.independent


def test_a_baseline_that_is_a_copy_and_copies_alone_are_errors() -> None:
    with pytest.raises(ConfigError, match="baseline=copy copies the reference; keep_copies=true"):
        run(replace(experiment(Held(PLANTED)), baseline="copy"))
    inputs = Inputs(CORPUS, (translation("copy", REFERENCE),), {})
    with pytest.raises(NothingCompared, match="every system copies the reference"):
        distinct(experiment(Held(())), inputs, resemblances(CORPUS, inputs.translations))
