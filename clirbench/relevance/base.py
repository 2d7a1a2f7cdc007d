"""What decides which documents are relevant, the English side's own ranking or people, and what it needs of a run."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Protocol, cast, get_args, runtime_checkable

import numpy as np

from clirbench.checks import one_of
from clirbench.corpora.base import Corpus
from clirbench.errors import ConfigError
from clirbench.measures.base import Measure
from clirbench.types import UNKNOWN, Documents, Doubles, Judge, Need, Qrels, Run, Topic

PSEUDO: frozenset[Need] = frozenset({"english"})
"""What a rule needs that judges by the English side."""


@runtime_checkable
class Relevance(Protocol):
    """A source of relevance judgments; a frozen dataclass whose fields are its configuration.

    It may declare `judged_by` (a `Judge`; default "unknown", which the report says), on which sentences, pooling and
    the choice of measures depend, and its `kind`, a short name for columns (`MAP[qrels]`; default: the name of its
    class).

    It may declare what it `needs` of a run, and what it `gives` (both sets of `Need`; a method `given` of the topics,
    where a file must be read to know it): what is missing is an error before the run starts (`relevance/base.py`).
    """

    @property
    def signature(self) -> str:
        """Rule and parameters, e.g. `top100`, or the content hash of a qrels file."""

    def judge(self, ideal: Run, documents: Documents, topics: Sequence[Topic]) -> Qrels:
        """Judgments for the topics that can be scored, in the order of `topics`.

        `ideal` is the English side's run, without a topic where there is no English side; `documents` the English side
        itself. A topic that people judged without
        finding a relevant document stays: measures that count false alarms score it.
        """


def judged_by(rule: Relevance) -> Judge:
    """The source of a rule's judgments, as it declares it; raises `ConfigError` for a value that is no `Judge`."""
    judge = getattr(rule, "judged_by", UNKNOWN)
    one_of(f"{type(rule).__name__}.judged_by", judge, get_args(Judge))
    return cast(Judge, judge)


def fitted(rule: Relevance, ideal: Run, topics: Sequence[Topic]) -> Relevance:
    """The rule with the parameters that are used, which its signature names, where some come from the English run."""
    fit = getattr(rule, "fitted", None)
    return rule if fit is None else cast(Relevance, fit(ideal, topics))


class BestRanked(ABC):
    """A rule by which the first documents of the English side's ranking are relevant (grade 1).

    A topic that the English side does not match is left out; the rule reaches as far as the list is deep.
    """

    needs: ClassVar[frozenset[Need]] = PSEUDO
    judged_by: ClassVar[Judge] = "pseudo-relevance"

    @property
    @abstractmethod
    def kind(self) -> str:
        """The rule and its parameters, in a word."""

    @property
    def signature(self) -> str:
        return self.kind

    @abstractmethod
    def how_many(self, topic_id: str, scores: Doubles, matched: int, documents: int) -> int:
        """How many of a topic's ranking are relevant.

        scores: of the ranking, best first, as the retriever gave them, ties intact; matched: how many documents match
        the topic, listed or not; documents: how many the collection has.
        """

    def relevant(self, ideal: Run, topic_id: str, documents: int) -> int:
        """`how_many` of a topic that the English side matches, in a collection of this size."""
        scores = ideal.values(topic_id, tied=True).astype(np.float64)
        matched = max(int(ideal.n_matched[ideal.position[topic_id]]), len(scores))
        return self.how_many(topic_id, scores, matched, max(documents, matched))

    def judge(self, ideal: Run, documents: Documents, topics: Sequence[Topic]) -> Qrels:
        lists = {topic.topic_id: ideal.ranking(topic.topic_id) for topic in topics}
        found = {t: ranking[: self.relevant(ideal, t, len(documents))] for t, ranking in lists.items() if ranking}
        return Qrels({topic_id: dict.fromkeys(doc_ids, 1) for topic_id, doc_ids in found.items()})


def needs(part: Any) -> Collection[Need]:
    """What a part says that it needs; nothing where it does not say."""
    found: Collection[Need] = getattr(part, "needs", ())
    return found


def offered_by_judgments(relevance: Relevance, topics: Sequence[Topic]) -> Collection[Need]:
    """What judgments give, as far as the source says it; a file of judgments is read for that."""
    reads = getattr(relevance, "given", None)
    found: Collection[Need] = reads(topics) if reads else getattr(relevance, "gives", ())
    return found


def unmet_needs(parts: Mapping[str, Any], corpus: Corpus) -> Iterator[ConfigError]:
    """An error for each part that needs an English side, where there is none."""
    for name, part in {} if corpus.has_english else parts.items():
        if "english" in needs(part):
            said = f"{name} needs a reference side, which this collection does not have: judge by people,"
            typed = "relevance=qrels relevance.path=FILE relevance.judged_by=people"
            yield ConfigError(f"{said} {typed}, leave it out, or name one, corpus.english=PATH")


def sorted_out(
    measures: Sequence[Measure], corpus: Corpus, gives: Collection[Need]
) -> tuple[tuple[Measure, ...], list[str]]:
    """The measures that can be computed, and a note on those that cannot, or that are others under another name.

    Raises `ConfigError` where none is left, and for a measure of grades that the judgments do not have: all its values
    would be 0.
    """
    off = [] if corpus.has_english else [measure for measure in measures if "english" in needs(measure)]
    kept = tuple(measure for measure in measures if measure not in off)
    flat = [measure.name for measure in kept if "grades" in needs(measure) and "grades" not in gives]
    if flat:
        raise ConfigError(f"{', '.join(flat)}: needs grades above 1, and no judgment of these topics has one")
    notes = []
    if off:
        names = ", ".join(measure.name for measure in off)
        notes.append(f"left out, because they compare with a search of the reference side, which there is not: {names}")
    if measures and not kept:
        raise ConfigError(f"measures: {notes[0]}; choose measures of judgments, such as measures=[MAP,nDCG]")
    alike = [measure.name for measure in kept if "all topics" in needs(measure) and "all topics" not in gives]
    if alike:
        said = "no topic is judged without a relevant document, so nothing is counted that the plain form leaves out"
        notes.append(f"{', '.join(alike)}: {said}")
    return kept, notes
