"""`systems=simulated`: systems whose errors are known, made from the reference."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import pairwise
from typing import ClassVar

from clirbench.corpora.base import Corpus
from clirbench.errors import AlignmentError, ConfigError
from clirbench.labs.planning.error_model import KINDS, ErrorModel, Simulation
from clirbench.labs.planning.words import Lexicon, WordLine, WordStatistics
from clirbench.text import Text, TextLines
from clirbench.types import DocumentMap, Translation

SYSTEMS: Mapping[str, Mapping[str, float]] = {
    "unknown_words": {"untranslated": 0.3},
    "wrong_words": {"wrong_content": 0.3},
    "lost_words": {"dropped": 0.4},
    "cut_off": {"truncation": 0.4},
    "grammar": {"function_words": 0.24, "untranslated": 0.02},
    "stutter": {"repetition": 0.2, "wrong_content": 0.06},
    "word_order": {"word_order": 0.4, "untranslated": 0.04},
    "mixed": dict.fromkeys(KINDS, 0.06),
}
"""Eight kinds of system by the rates of their errors: some cost much BLEU and little retrieval, or the other way."""


@dataclass(frozen=True)
class SimulatedSystems:
    """Independent kinds of system, each in rising doses of the same errors, so that the truth within a kind is known.

    `kinds` has the rates of errors of each kind's full dose; system `KIND-i` has i / `doses` of each, so 1 is the best
    of its kind. The doses of a kind share their random numbers: the errors of one are among those of the next.
    """

    made_from_reference: ClassVar[bool] = True

    kinds: Mapping[str, Mapping[str, float]] = field(default_factory=lambda: SYSTEMS)
    doses: int = 2
    seed: int = 0
    lexicon: str = "cs"

    def __post_init__(self) -> None:
        if type(self.doses) is not int or self.doses < 1:
            raise ConfigError(f"systems.doses={self.doses!r}: a whole number of at least 1 was expected")
        if not self.kinds:
            raise ConfigError("systems.kinds: at least one kind of system was expected")
        for rates in self.kinds.values():
            ErrorModel.of(rates)
        Lexicon(self.lexicon)

    def translations(self, corpus: Corpus) -> Sequence[Translation]:
        """kinds x `doses` translations with the metadata `family` and `dose`; best first in each family."""
        sides, lexicon = Sides.of(corpus), Lexicon(self.lexicon)
        made: list[Translation] = []
        for kind, rates in self.kinds.items():
            full, doses = ErrorModel.of(rates), range(1, self.doses + 1)
            models = {f"{kind}-{dose}": full.scaled(dose / self.doses) for dose in doses}
            metadata = [{"family": kind, "dose": f"{dose} of {self.doses}"} for dose in doses]
            made += sides.translate(models, metadata, lexicon, f"{self.seed}|{kind}")
        return made


@dataclass(frozen=True, eq=False)
class Sides:
    """The English text of both sides of a corpus; one list of lines where both sides have the same text."""

    test: Sequence[WordLine]
    collection: Sequence[WordLine]
    test_source: Sequence[str] | None
    collection_source: Sequence[str] | None
    map: DocumentMap

    @classmethod
    def of(cls, corpus: Corpus) -> "Sides":
        """Raises `AlignmentError` where the source has another number of lines than the side it belongs to."""
        searched, reference = corpus.english.text.lines(), corpus.test.references[0]
        collection = [WordLine.of(text) for text in searched]
        test = collection if reference == searched else [WordLine.of(text) for text in reference]
        source = _source(corpus.source, len(collection))
        return cls(test, collection, corpus.test.source, source, corpus.document_map)

    @cached_property
    def vocabulary(self) -> WordStatistics:
        """The words of both sides, document by document; a line of a test set of its own is a document."""
        documents = [self.collection[start:end] for start, end in pairwise(self.map.starts.tolist()) if start < end]
        return WordStatistics.of([*documents, *([] if self.test is self.collection else ([one] for one in self.test))])

    def translate(
        self,
        models: Mapping[str, ErrorModel],
        metadata: Sequence[Mapping[str, str]],
        lexicon: Lexicon,
        key: str,
    ) -> list[Translation]:
        """Every model applied to both sides, with one vocabulary."""
        same = self.test is self.collection
        translate = partial(Simulation(self.vocabulary, lexicon, key).translate, list(models.values()))
        collection = [TextLines(lines) for lines in translate(self.collection, self.collection_source)]
        test = collection if same else [TextLines(lines) for lines in translate(self.test, self.test_source)]
        return [
            Translation(name, *texts, described)
            for name, texts, described in zip(models, zip(test, collection, strict=True), metadata, strict=True)
        ]


def _source(source: Text | None, n_lines: int) -> Sequence[str] | None:
    if source is None:
        return None
    lines = source.lines()
    if len(lines) != n_lines:
        raise AlignmentError(
            f"{source.where} has {len(lines)} lines, the reference side {n_lines}: they must be line-aligned"
        )
    return lines
