"""SentBLEU, BLEU+1 and NIST; baselines that every table needs: length ratio, type count, copy rate, a random metric.

RIBES and METEOR as nltk computes them; the package and its WordNet must lie ready, nothing is downloaded.

Edit distances between two sequences of numbers: Levenshtein, and with block movement (CDER).
"""

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, reduce
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from math import log2
from operator import or_
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from clirbench.checks import check_least
from clirbench.errors import InputError, ResourceError
from clirbench.metrics.base import Statistics, check_aligned
from clirbench.metrics.bleu import brevity_penalty, ngram_statistics
from clirbench.metrics.compiled import njit
from clirbench.metrics.macrof import TypeAverage, type_statistics
from clirbench.metrics.segments import SegmentMean, ratio
from clirbench.metrics.tokens import Tokenised, Tokeniser, Tokens, aligned_tokens, reference_tokens, sacrebleu_signature
from clirbench.types import Doubles, TestSet

ORDER = 4
HALVES_AT = np.log(1.5)
"""NIST's length penalty is one half where the output has two thirds of the reference's length."""
Gram = tuple[str, ...]


@dataclass(frozen=True)
class SentBLEU(SegmentMean, Tokenised):
    """Mean of the smoothed sentence BLEU of Moses' `sentence-bleu`, the segment-level baseline of WMT15.

    Of one segment: 100 * BP * (prod over n = 1..4 of (matches_n + s) / (n-grams_n + s)) ** (1/4), with s = `smoothing`
    added to every order, unigrams too, BP = min(1, exp(1 - closest reference length / hypothesis length)).

    Statistics: (segment score, 1). Score: the mean over segments, 0-100, higher is better. An empty hypothesis has
    score 0; an empty reference is one that nothing matches. Several references: as in BLEU.

    **Source:** Stanojević et al. 2015, section 2.2.11; Moses, `mert/BleuScorer.cpp`, `smoothedSentenceBleu`.
    """

    exact_orders: ClassVar[int] = 0

    smoothing: float = 1
    name: str = "SentBLEU"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_least(self.name, "smoothing", self.smoothing, 0)

    @property
    def details(self) -> Sequence[str]:
        return (f"add:{self.smoothing:g}", "mean")

    def segment_scores(self, hypotheses: Sequence[str], test: TestSet) -> Doubles:
        """Smoothed BLEU of each segment: (segments,)."""
        ours, _ = self.tokens(hypotheses, test)
        return self.sentence_scores(ngram_statistics(self.tokeniser, ours, test, ORDER))

    def sentence_scores(self, rows: Doubles) -> Doubles:
        """Scores of segments from BLEU's statistics: (segments, 10) -> (segments,)."""
        added = np.full(ORDER, float(self.smoothing))
        added[: self.exact_orders] = 0.0
        matches = rows[:, 2 : 2 + ORDER] + added
        counts = rows[:, 2 + ORDER :] + added
        precisions = np.divide(matches, counts, out=np.zeros_like(counts), where=counts > 0)
        product = np.prod(precisions, axis=1) ** (1 / ORDER)
        scores = 100.0 * brevity_penalty(rows[:, 0], rows[:, 1]) * product
        return np.where(rows[:, 0] > 0, scores, 0.0)


@dataclass(frozen=True)
class BLEUPlus1(SentBLEU):
    """Mean of BLEU+1: sentence BLEU with one added to matches and counts of every order above 1.

    Of one segment: 100 * BP * (matches_1 / n-grams_1 * prod over n = 2..4 of (matches_n + 1) / (n-grams_n + 1))
    ** (1/4); the fourth root is the geometric mean that the text describes. Everything else is as in `SentBLEU`:
    statistics (segment score, 1), 0-100, higher is better, 0 where no unigram matches.

    **Source:** Neubig 2017, eq. 105; Lin and Och 2004.
    """

    exact_orders: ClassVar[int] = 1

    name: str = "BLEU+1"


@dataclass(frozen=True)
class NIST(Tokenised):
    """Information of the matching n-grams for each n-gram of the hypotheses, summed over orders 1 to 5.

    NIST = penalty * sum over n of (sum over matching n-grams of their information) / max(n-grams_n, 1),
    information of w1..wn = log2(count of w1..w(n-1) / count of w1..wn) in all references (of one word:
    log2(all words / count)), penalty = exp(-ln 2 * (ln(min(1, hypothesis length / mean reference length)) / ln 1.5)^2).

    Matches are clipped, several references as in BLEU; `lowercase` is on by default as in mteval without `-c`;
    `tokenize=intl` is its `--international-tokenization`.

    Statistics: hypothesis length, mean reference length, information of the matches of order 1..N, n-grams of order
    1..N. The information comes from the whole test set, also where totals are those of a resample.
    Score: from 0 up (about 0-15, NOT 0-100: the scale mteval prints), higher is better; 0 for an empty hypothesis or
    where references have no word.

    **Source:** Doddington 2002; mteval-v13a.pl (`compute_ngram_info`, `nist_score`, `nist_length_penalty`).
    """

    lowercase: bool = True
    max_ngram_order: int = 5
    name: str = "NIST"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_least("NIST", "max_ngram_order", self.max_ngram_order, 1)

    @property
    def details(self) -> Sequence[str]:
        return (f"order:{self.max_ngram_order}",)

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Doubles:
        """Lengths, information of matches and n-gram counts, one row a segment: (segments, 2 + 2N)."""
        order = self.max_ngram_order
        tokens, references = self.tokens(hypotheses, test)
        information, known = _information(self.tokeniser, test.references, order)
        sums = np.zeros((len(test), order))
        for row, words, most in zip(sums, tokens.lines(), known, strict=True):
            for gram, n in (_ngrams(words, order) & most).items():
                row[len(gram) - 1] += n * information[gram]
        counts = np.maximum(tokens.lengths[:, None] - np.arange(order), 0)
        lengths = references.lengths.reshape(len(test.references), -1).mean(axis=0)
        return np.column_stack([tokens.lengths, lengths, sums, counts]).astype(np.float64)

    def score(self, totals: Doubles) -> Doubles:
        """NIST from summed statistics, vectorised over leading axes: (..., 2 + 2N) -> (...), from 0 up."""
        n = self.max_ngram_order
        information = ratio(totals[..., 2 : 2 + n], np.maximum(totals[..., 2 + n :], 1)).sum(axis=-1)
        lengths = np.minimum(ratio(totals[..., 0], totals[..., 1]), 1.0)
        logs = np.log(lengths, out=np.full_like(lengths, -np.inf), where=lengths > 0)
        return np.asarray(information * np.exp(-np.log(2) * (logs / HALVES_AT) ** 2))


@lru_cache(maxsize=4)
def _information(
    tokeniser: Tokeniser, references: tuple[tuple[str, ...], ...], order: int
) -> tuple[dict[Gram, float], list[Counter[Gram]]]:
    """The information of every n-gram of the references, and of each segment how often one reference has it at most."""
    tokens = reference_tokens(tokeniser, references)
    grams = [_ngrams(line, order) for line in tokens.lines()]
    counts = Counter[Gram]({(): len(tokens.numbers)})
    for line in grams:
        counts.update(line)
    information = {gram: log2(counts[gram[:-1]] / n) for gram, n in counts.items() if gram}
    segments = len(references[0])
    return information, [reduce(or_, grams[at::segments]) for at in range(segments)]


def _ngrams(words: Sequence[str], order: int) -> Counter[Gram]:
    """How often a line has each of its n-grams up to the order."""
    starts = range(len(words))
    return Counter(tuple(words[i : i + n]) for i in starts for n in range(1, min(order, len(words) - i) + 1))


@dataclass(frozen=True)
class RatioOfTokens(Tokenised):
    """A metric that is 100 times the ratio of two sums; 0 where there is nothing to divide by."""

    def score(self, totals: Doubles) -> Doubles:
        """The ratio from summed statistics, vectorised over leading axes: (..., 2) -> (...), from 0 up."""
        return np.asarray(100.0 * ratio(totals[..., 0], totals[..., 1]))


@dataclass(frozen=True)
class LengthRatio(RatioOfTokens):
    """How long the output is against the reference: 100 * hypothesis tokens / reference tokens.

    Statistics: hypothesis tokens, reference tokens. Score: from 0 up, 100 for equal lengths, more counts as better (a
    baseline, not a judgment); 0 for an empty output or totals without reference tokens. Of several references the
    first is used.

    **Source:** the length ratio that BLEU's brevity penalty is made of (Papineni et al. 2002).
    """

    first_reference: ClassVar[bool] = True

    name: str = "LengthRatio"

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Doubles:
        """Hypothesis and reference tokens, one row a segment: (segments, 2)."""
        ours, theirs = self.tokens(hypotheses, test)
        return np.column_stack([ours.lengths, theirs.lengths]).astype(np.float64)


@dataclass(frozen=True)
class TypeCount(TypeAverage):
    """How many different word types the output has: |V_h|.

    Statistics: those of MacroF. Score: a count from 0 up (NOT 0-100), more counts as better; 0 for an empty output.

    **Source:** V_h of Gowda et al. 2021, section 2.
    """

    needs_reference: ClassVar[bool] = False

    name: str = "TypeCount"

    def score(self, totals: Statistics) -> Doubles:
        """Types with PREDS above 0, vectorised over leading axes: (..., 3 * types) -> (...)."""
        if isinstance(totals, np.ndarray):
            return np.asarray((totals[..., 1::3] > 0).sum(axis=-1), dtype=np.float64)
        entries = totals.tocoo()
        predicted = (entries.coords[1] % 3 == 1) & (entries.data > 0)
        return np.bincount(entries.coords[0][predicted], minlength=totals.shape[0]).astype(np.float64)


@dataclass(frozen=True)
class CopyRate(RatioOfTokens):
    """Share of the source's words that are left in the output: untranslated words, names, and words of both languages.

    CopyRate = 100 * sum over types with a letter of min(count in hypothesis, count in source) / source tokens with a
    letter, counted segment by segment.

    Statistics: words copied, source words. Score: 0-100, lower is better; 0 for an empty output or totals without
    source words.

    Raises `InputError` where the test set has no source.

    **Source:** untranslation as a failure of unsupervised systems, Gowda et al. 2021, section 4.
    """

    higher_is_better: ClassVar[bool] = False
    needs_reference: ClassVar[bool] = False

    name: str = "CopyRate"

    @property
    def details(self) -> Sequence[str]:
        return ("words:with a letter",)

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Doubles:
        """Words copied and source words, one row a segment: (segments, 2)."""
        check_aligned(hypotheses, test)
        if test.source is None:
            raise InputError(f"{self.name} needs the source of the test set: put source.txt beside the reference")
        ours, theirs = aligned_tokens(self.tokeniser, hypotheses, TestSet((test.source,)))
        entries = type_statistics(ours, theirs).tocoo()
        words = np.array([any(map(str.isalpha, name)) for name in ours.types], dtype=bool)
        row, column = entries.coords
        kept = words[column // 3]

        def count(which: int) -> Doubles:
            chosen = kept & (column % 3 == which)
            counts = np.bincount(row[chosen], weights=entries.data[chosen], minlength=len(hypotheses))
            return np.asarray(counts, dtype=np.float64)

        return np.column_stack([count(2), count(0)])


@dataclass(frozen=True)
class RandomMetric(SegmentMean):
    """A metric that knows nothing: each segment's score is uniform in [0, 100), drawn by seed, line and text.

    Statistics: (segment score, 1). Score: the mean over segments, 0-100, higher is better. The same seed and text give
    the same score on every machine and with any number of workers; equal segments of two systems score alike.

    **Source:** ours.
    """

    higher_is_better: ClassVar[bool] = True
    needs_reference: ClassVar[bool] = False

    seed: int = 0
    name: str = "Random"

    @property
    def signature(self) -> str:
        return f"{self.name}|seed:{self.seed}|blake2b"

    def segment_scores(self, hypotheses: Sequence[str], test: TestSet) -> list[float]:
        """The draw of each segment: (segments,)."""
        return [self._draw(line, text) for line, text in enumerate(hypotheses)]

    def _draw(self, line: int, text: str) -> float:
        drawn = blake2b(f"{self.seed} {line} {text}".encode("utf-8", "surrogatepass"), digest_size=6).digest()
        return 100 * int.from_bytes(drawn) / 2**48


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


@njit(cache=True, nogil=True)
def edits(words, reference, jumps):  # type: ignore[no-untyped-def]
    """Fewest insertions, deletions and substitutions of words; with `jumps`, a jump to any place in `words` costs 1.

    `row[i]` is the cheapest way to have covered the reference words so far and to stand behind word i. With jumps each
    reference word is covered exactly once, words any number of times.
    """
    row = np.arange(len(words) + 1)
    if jumps:
        row = np.minimum(row, 1)
    following = np.empty_like(row)
    for j in range(len(reference)):
        following[0] = row[0] + 1
        for i in range(1, len(words) + 1):
            cost = row[i - 1] if words[i - 1] == reference[j] else row[i - 1] + 1
            following[i] = min(cost, row[i] + 1, following[i - 1] + 1)
        if jumps:
            following = np.minimum(following, following.min() + 1)
        row, following = following, row
    return row[len(words)]


@njit(cache=True, nogil=True)
def errors(words, offsets, references, reference_offsets, jumps):  # type: ignore[no-untyped-def]
    """The edits of each segment."""
    out = np.empty(len(offsets) - 1, dtype=np.float64)
    for segment in range(len(out)):
        ours = words[offsets[segment] : offsets[segment + 1]]
        theirs = references[reference_offsets[segment] : reference_offsets[segment + 1]]
        out[segment] = edits(ours, theirs, jumps)
    return out
