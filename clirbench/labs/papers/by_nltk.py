"""RIBES and METEOR as nltk computes them; the package and its WordNet must lie ready, nothing is downloaded."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, ClassVar

from clirbench.checks import check_least
from clirbench.errors import InputError, ResourceError
from clirbench.metrics.segments import SegmentMean
from clirbench.metrics.tokenised import Tokenised, aligned_tokens, sacrebleu_signature
from clirbench.metrics.tokens import Tokeniser, Tokens
from clirbench.types import TestSet

WORDNET_ADVICE = (
    "download wordnet.zip from https://github.com/nltk/nltk_data (packages/corpora), unpack it, and set wordnet to "
    "the folder that holds index.noun; or set synonyms=false to match words and stems alone"
)


@dataclass(frozen=True)
class RIBES(SegmentMean, Tokenised):
    """Mean RIBES: rank correlation of the order of matching words, times precision and brevity penalties.

    Of one segment, against the reference that gives most: 100 * NKT * P ** alpha * BP ** beta, NKT = normalised
    Kendall's tau of the aligned words' positions, P = aligned words / hypothesis words,
    BP = min(1, exp(1 - reference words / hypothesis words)).

    Statistics: (segment score, 1). Score: the mean over segments, 0-100, higher is better; 0 for an empty hypothesis
    or reference, and for segments of fewer than two aligned words.

    Raises `ResourceError` where nltk is not installed, `InputError` for a segment above nltk's limit of words (2,000).

    **Source:** Isozaki et al. 2010; nltk.translate.ribes_score.
    """

    alpha: float = 0.25
    beta: float = 0.10
    name: str = "RIBES"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_least("RIBES", "alpha", self.alpha, 0)
        check_least("RIBES", "beta", self.beta, 0)
        nltk_version()

    @property
    def details(self) -> Sequence[str]:
        return (f"alpha:{self.alpha:g}", f"beta:{self.beta:g}", "mean")

    @property
    def signature(self) -> str:
        return f"{super().signature}|nltk:{nltk_version()}"

    def segment_scores(self, hypotheses: Sequence[str], test: TestSet) -> list[float]:
        """RIBES of each segment, 0-100: (segments,)."""
        from nltk.translate.ribes_score import MAX_ALIGNMENT_LEN, sentence_ribes

        scores = []
        for line, (ours, theirs) in enumerate(word_lists(*self.tokens(hypotheses, test)), start=1):
            longest = max(map(len, [ours, *theirs]))
            if longest > MAX_ALIGNMENT_LEN:
                raise InputError(
                    f"{self.name}: line {line} has {longest} words, nltk aligns at most {MAX_ALIGNMENT_LEN}; "
                    "split the segment or leave the metric out"
                )
            scores.append(100 * sentence_ribes(theirs, ours, self.alpha, self.beta))
        return scores


@dataclass(frozen=True)
class METEOR(SegmentMean):
    """Mean METEOR of nltk: aligned words (same word, same stem, synonyms), penalised for broken order.

    Of one segment, against the reference that gives most: 100 * (1 - gamma * (chunks / matches) ** beta) *
    P R / (alpha P + (1 - alpha) R). This is nltk's reading of Lavie and Agarwal 2007, not the METEOR 1.5 of WMT:
    hence its name, METEOR(nltk).

    `wordnet` is the folder of WordNet's files; without it, or with `synonyms=false`, words and stems alone match, and
    the signature says `synonyms:no`. Words are lower-cased and stemmed by Porter's rules.

    Statistics: (segment score, 1). Score: the mean over segments, 0-100, higher is better; 0 for an empty hypothesis
    or reference.

    Raises `ResourceError` where nltk is not there, or no WordNet in `wordnet`.

    **Source:** Lavie and Agarwal 2007; nltk.translate.meteor_score.
    """

    higher_is_better: ClassVar[bool] = True
    needs_reference: ClassVar[bool] = True

    tokenize: str = "13a"
    wordnet: str | None = None
    synonyms: bool = True
    alpha: float = 0.9
    beta: float = 3.0
    gamma: float = 0.5
    name: str = "METEOR(nltk)"

    def __post_init__(self) -> None:
        for key in ("alpha", "beta", "gamma"):
            check_least("METEOR(nltk)", key, getattr(self, key), 0)
        nltk_version()
        Tokeniser(self.tokenize)  # an unknown one is found now
        if self._synonyms and not (Path(str(self.wordnet)) / "index.noun").is_file():
            raise ResourceError(f"{self.name}: no WordNet in {self.wordnet} (no index.noun): {WORDNET_ADVICE}")

    @property
    def _synonyms(self) -> bool:
        return self.synonyms and self.wordnet is not None

    @property
    def signature(self) -> str:
        synonyms = f"wordnet:{self._wordnet().get_version()}" if self._synonyms else "synonyms:no"
        weights = (f"alpha:{self.alpha:g}", f"beta:{self.beta:g}", f"gamma:{self.gamma:g}")
        made = sacrebleu_signature(
            self.name, "case:lc", f"tok:{self.tokenize}", "stem:porter", synonyms, *weights, "mean"
        )
        return f"{made}|nltk:{nltk_version()}"

    def _wordnet(self) -> Any:
        return read_wordnet(str(self.wordnet)) if self._synonyms else NoSynonyms()

    def segment_scores(self, hypotheses: Sequence[str], test: TestSet) -> list[float]:
        """METEOR of each segment, 0-100: (segments,)."""
        from nltk.translate.meteor_score import meteor_score

        options = {"alpha": self.alpha, "beta": self.beta, "gamma": self.gamma, "wordnet": self._wordnet()}
        pairs = word_lists(*aligned_tokens(Tokeniser(self.tokenize), hypotheses, test))
        return [100 * meteor_score(theirs, ours, **options) for ours, theirs in pairs]


class NoSynonyms:
    """A WordNet without words, for METEOR without synonyms."""

    def synsets(self, word: str) -> list[Any]:
        return []


def word_lists(hypotheses: Tokens, references: Tokens) -> list[tuple[list[str], list[list[str]]]]:
    """The words of every hypothesis, and of all its references."""
    ours, theirs = hypotheses.lines(), references.lines()
    return [(line, theirs[number :: len(ours)]) for number, line in enumerate(ours)]


@cache
def nltk_version() -> str:
    try:
        return version("nltk")
    except PackageNotFoundError:
        raise ResourceError("RIBES and METEOR need nltk: pip install '.[nltk]'") from None


@cache
def read_wordnet(folder: str) -> Any:
    """nltk's reader of the WordNet files in a folder."""
    import nltk.data
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    class EnglishWordNet(WordNetCorpusReader):  # type: ignore[misc]  # nltk has no types
        """Without the mapping for other languages, which needs a second WordNet in nltk's own folders."""

        def map_wn(self, version: str = "wordnet") -> None:
            return None

    # nltk opens files, now and later, only below the folders of this list.
    if folder not in nltk.data.path:
        nltk.data.path.append(folder)
    try:
        with warnings.catch_warnings():
            # The reader warns that other languages are missing; none of them is used.
            warnings.simplefilter("ignore")
            return EnglishWordNet(folder, None)
    except (OSError, ValueError) as error:
        raise ResourceError(f"WordNet in {folder} cannot be read ({error}): {WORDNET_ADVICE}") from None
