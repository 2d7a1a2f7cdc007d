"""`systems=simulated` and `systems=sensitivity`: systems whose errors are known, made from the reference."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

from clirbench.corpora.base import Corpus
from clirbench.errors import AlignmentError, ConfigError, UnknownName
from clirbench.systems.error_model import KINDS, ErrorModel, Simulation
from clirbench.systems.lexicon import Lexicon
from clirbench.systems.wording import Line, WordStatistics
from clirbench.text import Text, TextLines
from clirbench.types import DocumentMap, Translation

FLUENT = ErrorModel(wrong_content=0.24, dropped=0.12, truncation=0.12)
ADEQUATE = ErrorModel(word_order=0.3, function_words=0.3, repetition=0.06, untranslated=0.05)


@dataclass(frozen=True)
class SimulatedSystems:
    """Two families of graded systems, so that metrics disagree and the truth is known.

    `fluent` (fluent but inadequate) and `adequate` (adequate but disfluent) are the error models of each family's
    worst system; system `fluent-i` has i / `levels` of every rate, so within a family level 1 is the best. Systems of
    a family share their random numbers: the errors of one are among those of the next.
    """

    fluent: ErrorModel = FLUENT
    adequate: ErrorModel = ADEQUATE
    levels: int = 8
    seed: int = 0
    lexicon: str = "cs"

    def __post_init__(self) -> None:
        if type(self.levels) is not int or self.levels < 1:
            raise ConfigError(f"systems.levels={self.levels!r}: a whole number of at least 1 was expected")
        Lexicon(self.lexicon)

    def translations(self, corpus: Corpus) -> Sequence[Translation]:
        """2 x `levels` translations with the metadata `kind`, `family`, `level`; best first in each family."""
        sides = Sides.of(corpus)
        made: list[Translation] = []
        for name, kind, worst in (
            ("fluent", "fluent but inadequate", self.fluent),
            ("adequate", "adequate but disfluent", self.adequate),
        ):
            models = {f"{name}-{level}": worst.scaled(level / self.levels) for level in range(1, self.levels + 1)}
            metadata = [{"kind": kind, "family": name, "level": str(level)} for level in range(1, self.levels + 1)]
            made += sides.translate(models, metadata, Lexicon(self.lexicon), f"{self.seed}|{name}")
        return made


@dataclass(frozen=True)
class SensitivitySystems:
    """One kind of error at a time at rising rates, and the perfect translation: what does each kind cost?

    `kinds`: names of error kinds (default: all). `rates`: shares of running words with an error, above 0, at most 1.
    """

    kinds: Sequence[str] = KINDS
    rates: Sequence[float] = field(default=(0.05, 0.1, 0.2, 0.3, 0.4, 0.5))
    seed: int = 0
    lexicon: str = "cs"

    def __post_init__(self) -> None:
        for kind in self.kinds:
            if kind not in KINDS:
                raise UnknownName("kind of error", kind, KINDS)
        if not self.kinds or len(set(self.kinds)) < len(self.kinds):
            raise ConfigError(f"systems.kinds={list(self.kinds)}: some kinds, each once, were expected")
        if not self.rates or not all(0 < rate <= 1 for rate in self.rates) or len(set(self.rates)) < len(self.rates):
            raise ConfigError(
                f"systems.rates={list(self.rates)}: rates above 0 and at most 1, each once, were expected"
            )
        Lexicon(self.lexicon)

    def translations(self, corpus: Corpus) -> Sequence[Translation]:
        """`perfect`, then KIND-RATE for every kind and rate, with the metadata `kind` and `rate`."""
        models = {"perfect": ErrorModel()}
        metadata = [{"kind": "none", "rate": "0"}]
        for kind in self.kinds:
            for rate in sorted(self.rates):
                models[f"{kind}-{rate:g}"] = ErrorModel.only(kind, rate)
                metadata.append({"kind": kind, "rate": f"{rate:g}"})
        return Sides.of(corpus).translate(models, metadata, Lexicon(self.lexicon), f"{self.seed}|sensitivity")


@dataclass(frozen=True, eq=False)
class Sides:
    """The English text of both sides of a corpus; one list of lines where both sides have the same text."""

    test: Sequence[Line]
    collection: Sequence[Line]
    test_source: Sequence[str] | None
    collection_source: Sequence[str] | None
    map: DocumentMap

    @classmethod
    def of(cls, corpus: Corpus) -> "Sides":
        """Raises `AlignmentError` where the source has another number of lines than the side it belongs to."""
        searched, reference = corpus.english.text.lines(), corpus.test.references[0]
        collection = [Line.of(text) for text in searched]
        test = collection if reference == searched else [Line.of(text) for text in reference]
        source = _source(corpus.source, len(collection))
        return cls(test, collection, corpus.test.source, source, corpus.document_map)

    def documents(self) -> list[Sequence[Line]]:
        """The lines of the collection, document by document."""
        starts = self.map.starts.tolist()
        return [self.collection[start:end] for start, end in pairwise(starts) if start < end]

    def translate(
        self,
        models: Mapping[str, ErrorModel],
        metadata: Sequence[Mapping[str, str]],
        lexicon: Lexicon,
        key: str,
    ) -> list[Translation]:
        """Every model applied to both sides, with one vocabulary."""
        same = self.test is self.collection
        vocabulary = WordStatistics.of([*self.documents(), *([] if same else ([line] for line in self.test))])
        translate = partial(Simulation.of(vocabulary, lexicon, key).translate, list(models.values()))
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
            f"{source.where} has {len(lines)} lines, the English side {n_lines}: they must be line-aligned"
        )
    return lines
