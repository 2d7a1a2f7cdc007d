"""What measures and sources of relevance need, against what a run has: said before it starts."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from clirbench.corpora.base import Corpus
from clirbench.errors import ConfigError
from clirbench.measures.base import Measure
from clirbench.relevance.base import Relevance
from clirbench.types import Need, Topic


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
            yield ConfigError(
                f"{name} needs a reference side, which this collection does not have: judge by people, relevance=qrels "
                "relevance.path=FILE relevance.judged_by=people, leave it out, or name one, corpus.english=PATH"
            )


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
        notes.append(
            f"{', '.join(alike)}: no topic is judged without a relevant document, so nothing is counted that the "
            "plain form leaves out"
        )
    return kept, notes
