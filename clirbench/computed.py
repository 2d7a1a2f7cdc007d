"""What one run has read and computed: texts and topics, scores, rankings and their values; nothing is tested yet."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from clirbench.corpora.base import Corpus
from clirbench.errors import Changed, InputError, raise_all
from clirbench.later import select_values
from clirbench.relevance.base import Relevance
from clirbench.store.snapshot import Snapshot
from clirbench.systems.health import FileHealth
from clirbench.systems.likeness import NOTHING_ALIKE, Resemblances
from clirbench.text import Text
from clirbench.types import Doubles, Failure, Judged, Run, Topic, Translation

MOST_RELEVANT = 0.5
"""Above this share, what matches is mostly relevant: precision then says which documents match, not their order."""


@dataclass(frozen=True, eq=False)
class Inputs:
    """What was read and aligned before any work starts; `topics` by label; `pending` systems are still written.

    `baselines` are searched like the systems of `translations`, and are none of them (`untranslated=true`). `left_out`:
    why systems are no longer among `translations`.
    """

    corpus: Corpus
    translations: tuple[Translation, ...]
    topics: Mapping[str, tuple[Topic, ...]]
    pending: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    baselines: tuple[Translation, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def searched(self) -> dict[str, Text]:
        """The text of every system and baseline that is searched, by name."""
        every = (*self.translations, *self.baselines)
        return {t.system: t.collection for t in every if t.collection is not None}


@dataclass(frozen=True, eq=False)
class StepResults:
    """What the steps gave, before anything is correlated: by (metric, system), and by label of the topics."""

    inputs: Inputs | None = None
    statistics: Mapping[tuple[str, str], Any] = field(default_factory=lambda: MappingProxyType({}))
    scores: Mapping[tuple[str, str], float] = field(default_factory=lambda: MappingProxyType({}))
    failed: Mapping[tuple[str, str], Failure] = field(default_factory=lambda: MappingProxyType({}))
    retrieval: Mapping[str, "Retrieval"] = field(default_factory=lambda: MappingProxyType({}))
    notes: tuple[str, ...] = ()
    """Why systems were left out, and what is strange about their files."""
    lost: tuple[str, ...] = ()
    """Systems that were not translated, or are left out."""
    health: tuple[FileHealth, ...] = ()
    resemblances: Resemblances = NOTHING_ALIKE

    def changed(self, snapshot: Snapshot) -> dict[str, str]:
        """Why systems cannot stand: a step found other bytes in one of their files, or they are there now.

        Raises `Changed` where that is so of anything that all systems share, `InputError` where no system is left.
        """
        failed = [(system, failure) for (_, system), failure in self.failed.items()]
        failed += [pair for found in self.retrieval.values() for pair in found.failed.items()]
        reasons = {system: failure.reason for system, failure in failed if failure.changed}
        left = {t.system: files for t in self.inputs.translations if (files := t.files)} if self.inputs else {}
        owners = {file: system for system, files in left.items() for file in files}
        for file in snapshot.changed():
            if file not in owners:
                raise Changed(file)
            reasons[owners[file]] = str(Changed(file))
        if reasons and reasons.keys() >= left.keys():
            raise_all([InputError(reason) for reason in reasons.values()])
        for file in (file.absolute() for system in reasons for file in left[system]):
            snapshot.seen.pop(str(file), None)
        return reasons

    def without(self, systems: Mapping[str, str]) -> "StepResults":
        """The same less all that is known of some systems, which become rows of holes; their values say why."""
        if self.inputs is None or not systems:
            return self
        kept = (replace(t, test=None, collection=None) if t.system in systems else t for t in self.inputs.translations)
        return StepResults(
            replace(self.inputs, translations=tuple(kept)),
            select_values(self.statistics, [key for key in self.statistics if key[1] not in systems]),
            {key: score for key, score in self.scores.items() if key[1] not in systems},
            {key: failure for key, failure in self.failed.items() if key[1] not in systems},
            {label: found.without(systems) for label, found in self.retrieval.items()},
            (*self.notes, *(f"{system} is left out: {reason}" for system, reason in systems.items())),
            (*self.lost, *systems),
            tuple(row for row in self.health if row.system not in systems),
            self.resemblances,
        )


@dataclass(frozen=True)
class Counts:
    """What one set of judgments scored, and what it dropped and why.

    `scored` topics have a relevant document; those `without_relevant` are judged too, and scored by the measures that
    count false alarms. `share_relevant` is the median over scored topics of relevant documents retrieved by the English
    side, over the documents it matched; `None` where no topic was scored.
    """

    documents: int
    topics: int
    scored: int
    unmatched: tuple[str, ...]
    unjudged: tuple[str, ...]
    median_matched: float | None
    share_relevant: float | None
    without_relevant: tuple[str, ...] = ()

    @property
    def unordered(self) -> bool:
        """Whether most matching documents are relevant, so that MAP and P@k do not depend on their order."""
        return self.share_relevant is not None and self.share_relevant > MOST_RELEVANT


@dataclass(frozen=True, eq=False)
class Retrieval:
    """The IR side for one set of topics and one retriever: English run, judgments, systems' runs, per-topic values.

    `judged` and `counts` are by label of the judgments; `per_topic[(label, measure)]` is systems x the topics that the
    measure scores (`topics`), for the systems of `runs`; `failed` are those that could not be searched or scored.
    `topic_label` and `retriever` are the labels of what was asked and of what searched; `rules` judged, by their label.
    """

    ideal: Run
    judged: Mapping[str, Judged]
    counts: Mapping[str, Counts]
    runs: Mapping[str, Run]
    per_topic: Mapping[tuple[str, str], Doubles]
    failed: Mapping[str, Failure] = field(default_factory=lambda: MappingProxyType({}))
    topic_label: str = ""
    retriever: str = ""
    rules: Mapping[str, Relevance] = field(default_factory=lambda: MappingProxyType({}))

    def topics(self, label: str, measure: str) -> tuple[str, ...]:
        """The topics that a measure scores: all that are judged, or those with a relevant document.

        The two differ in number, so the number of values tells which it was.
        """
        judged = self.judged[label]
        n = self.per_topic[label, measure].shape[1]
        return judged.topic_ids if n == len(judged.topic_ids) else judged.with_relevant.topic_ids

    def without(self, systems: Collection[str]) -> "Retrieval":
        """The same less some systems."""
        rows = [row for row, system in enumerate(self.runs) if system not in systems]
        return replace(
            self,
            runs=select_values(self.runs, [system for system in self.runs if system not in systems]),
            per_topic={column: values[rows] for column, values in self.per_topic.items()},
            failed={system: failure for system, failure in self.failed.items() if system not in systems},
        )


def with_marks(name: str, *marks: str) -> str:
    """`MAP`; `MAP[news]` of a second collection, `MAP[news,qrels]` of second judgments there."""
    kept = ",".join(mark for mark in marks if mark)
    return f"{name}[{kept}]" if kept else name
