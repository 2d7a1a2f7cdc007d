"""How MT metrics cut text into tokens: sacreBLEU's tokenisers, by name, and tokens as numbers.

13a, whitespace and chrF++ words are cut by compiled code that equals the library's; the other tokenisers are the
library's own classes, whose output is split on Unicode white space. References are analysed once per run, the
hypotheses of one system once for all metrics with the same tokeniser: both are cached by their content. Here too: what
metrics of tokens share (`Tokenised`), and the n-grams of the references, against which every system's are counted.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.metadata import version
from itertools import pairwise, starmap
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from clirbench.checks import one_of
from clirbench.errors import ResourceError
from clirbench.later import Function, keep_recent
from clirbench.metrics.base import check_aligned, hashable
from clirbench.types import Codes, Doubles, Ints, Ints32, TestSet

if TYPE_CHECKING:
    from clirbench.metrics.kernels import Ngrams, Words

References = tuple[Sequence[str], ...]

TOKENISERS = ("13a", "intl", "zh", "char", "none", "ja-mecab", "ko-mecab", "spm", "flores101", "flores200")
NEEDS = {"ja-mecab": "sacrebleu[ja]", "ko-mecab": "sacrebleu[ko]"}
AT_ONCE = 2_500
"""Lines that are cut at a time, so that memory grows with the tokens and not with all characters."""
STRETCH = 10_000
"""Segments that are counted at a time where a test set has more."""
KEPT_STRETCHES = 8
"""Stretches of which what is made of their references is kept for the next system."""
SPLIT, MTEVAL, EDGES = 0, 1, 2
"""Ways to cut: on white space alone; as mteval-v13a; ASCII punctuation off one edge of each word, as chrF++ does."""
WORDS = "chrF++"
WAYS = {"13a": MTEVAL, "none": SPLIT, WORDS: EDGES}


@dataclass(frozen=True)
class Tokeniser:
    """A tokeniser and whether text is lower-cased before it.

    `name` is one of sacreBLEU's tokenisers; `none` splits on white space, `chrF++` as that metric has its words.
    """

    name: str = "13a"
    lowercase: bool = False

    def __post_init__(self) -> None:
        one_of("tokeniser: tokenize", self.name, (*TOKENISERS, WORDS))
        if self.name not in WAYS:
            library_tokeniser(self.name)  # what is not installed is missed now, not after an hour

    @property
    def way(self) -> int:
        return WAYS.get(self.name, SPLIT)

    @property
    def signature(self) -> str:
        return f"{case_of(self.lowercase)}|tok:{self.name}"

    def prepare(self, lines: Sequence[str]) -> list[str]:
        """The lines as they go to `cut`, which splits them on white space or by the rules of 13a."""
        if self.lowercase:
            lines = [line.lower() for line in lines]
        if self.name == "13a":
            return [_mteval_text(line) if "&" in line or "<" in line or "\n" in line else line for line in lines]
        if self.name in WAYS:
            return list(lines)
        rewrite = library_tokeniser(self.name)
        return [rewrite(line.rstrip()) for line in lines]


def _mteval_text(line: str) -> str:
    """The rules of mteval-v13a that rewrite text: soft line ends and four entities, in this order."""
    line = line.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, character in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
        line = line.replace(entity, character)
    return line


@dataclass(frozen=True, eq=False)
class Tokens:
    """Tokens of lines as type numbers: `numbers[offsets[i]:offsets[i + 1]]` are those of line i.

    `words`: every type by its number: those of the references first, then those that are new here.
    """

    numbers: Ints32
    offsets: Ints
    words: "Words"

    @property
    def n_types(self) -> int:
        return len(self.words)

    @property
    def lengths(self) -> Ints:
        return np.diff(self.offsets)

    @property
    def types(self) -> tuple[str, ...]:
        """The name of every type, by its number."""
        return tuple(self.words.names())

    def lines(self, names: Sequence[str] | None = None) -> list[list[str]]:
        """The tokens of every line as strings: the types themselves, or what `names` has for each type's number."""
        names = self.types if names is None else names
        numbers = self.numbers.tolist()
        return [[names[number] for number in numbers[a:b]] for a, b in pairwise(self.offsets.tolist())]


def tokens_of(tokeniser: Tokeniser, lines: Sequence[str], known: Tokens | None = None) -> Tokens:
    """The tokens of `lines`, numbered by type; types that `known` has keep their numbers."""
    from clirbench.metrics.kernels import Words

    words = Words(known.words if known else None)
    return Tokens(*_cut(tokeniser, lines, words), words)


_OF_REFERENCES: list[Any] = []


def of_references(size: int) -> Callable[[Function], Function]:
    """Keep what was made last of `size` references, for each stretch of a large one, until they are forgotten."""

    def decorate(function: Function) -> Function:
        _OF_REFERENCES.append(lru_cache(maxsize=size)(function))
        return cast(Function, _OF_REFERENCES[-1])

    return decorate


def forget_references() -> None:
    """Keep nothing of references: of more stretches than are kept none is found again."""
    for function in _OF_REFERENCES:
        function.cache_clear()


def _cut(tokeniser: Tokeniser, lines: Sequence[str], words: "Words") -> tuple[Ints32, Ints]:
    """The numbers of the tokens of `lines`, among which `words` takes up new ones, and where each line begins."""
    from clirbench.metrics.kernels import cut

    numbers = [np.empty(0, dtype=np.int32)]
    offsets = [np.zeros(1, dtype=np.int64)]
    for begin in range(0, len(lines), AT_ONCE):
        codes, places = code_points(tokeniser.prepare(lines[begin : begin + AT_ONCE]))
        starts, ends, first = cut(codes, places, tokeniser.way)
        numbers.append(words.numbers(codes, starts, ends))
        offsets.append(first[1:] + offsets[-1][-1])
    return np.concatenate(numbers), np.concatenate(offsets)


@of_references(8)
def reference_tokens(tokeniser: Tokeniser, references: References) -> Tokens:
    """The tokens of all references, one reference after the other; cached, so analysed once per run."""
    return tokens_of(tokeniser, _one_after_the_other(references))


def _one_after_the_other(references: References) -> Sequence[str]:
    return references[0] if len(references) == 1 else [line for reference in references for line in reference]


@keep_recent(2)
def hypothesis_tokens(tokeniser: Tokeniser, hypotheses: Sequence[str], references: References) -> Tokens:
    """The tokens of one system's output; cached, so cut once for all metrics with the same tokeniser."""
    return tokens_of(tokeniser, hypotheses, reference_tokens(tokeniser, references))


def stretches(n: int) -> Iterator[slice]:
    """All of `n` segments in parts of about one size, at most `STRETCH`."""
    return starmap(slice, pairwise(np.linspace(0, n, -(-n // STRETCH) + 1).astype(int).tolist()))


def token_stretches(
    tokeniser: Tokeniser, hypotheses: Sequence[str], references: References
) -> Iterator[tuple[Tokens, Tokens]]:
    """The tokens of the hypotheses and of their references, one after the other, some segments at a time.

    Types have the numbers that they have in all tokens together. The last hypotheses' tokens know all types.
    """
    from clirbench.metrics.kernels import Words

    known = _reference_types(tokeniser, references)
    words = Words(known.words)
    for lines in stretches(len(hypotheses)):
        theirs = tokens_of(tokeniser, _one_after_the_other(tuple(one[lines] for one in references)), known)
        yield Tokens(*_cut(tokeniser, hypotheses[lines], words), words), theirs


@lru_cache(maxsize=8)
def _reference_types(tokeniser: Tokeniser, references: References) -> Tokens:
    """No tokens, but the types of all references, numbered as `reference_tokens` numbers them."""
    from clirbench.metrics.kernels import Words

    words = Words()
    for reference in references:
        for lines in stretches(len(reference)):
            _cut(tokeniser, reference[lines], words)
    return Tokens(np.empty(0, dtype=np.int32), np.zeros(1, dtype=np.int64), words)


def code_points(lines: Sequence[str]) -> tuple[Codes, Ints]:
    """The code points of the lines run together, and where each line begins (one more entry than lines)."""
    codes = np.frombuffer("".join(lines).encode("utf-32-le", "surrogatepass"), dtype="<u4")
    offsets = np.zeros(len(lines) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, lines), dtype=np.int64, count=len(lines)), out=offsets[1:])
    return codes, offsets


def case_of(lowercase: bool) -> str:
    """What signatures say of the case: `case:lc` where it is lowered, `case:mixed` where it is kept."""
    return "case:lc" if lowercase else "case:mixed"


@cache
def library_tokeniser(name: str) -> Callable[[str], str]:
    """A tokeniser of sacreBLEU's; raises `ResourceError` naming what to install, and where to put it."""
    from sacrebleu.metrics.bleu import _get_tokenizer

    if name in ("spm", "flores101", "flores200"):  # sacreBLEU would download the model by itself
        from sacrebleu.tokenizers.tokenizer_spm import SACREBLEU_DIR, SPM_MODELS

        url = SPM_MODELS[name]["url"]
        path = Path(SACREBLEU_DIR) / "models" / Path(url).name
        if not path.is_file():
            said = f"tokenize={name!r} needs its model, which is not downloaded unasked: put {url} at {path}"
            raise ResourceError(said)
    try:
        tokeniser: Callable[[str], str] = _get_tokenizer(name)()
    except (ImportError, RuntimeError):
        advice = f"pip install '{NEEDS[name]}'" if name in NEEDS else "pip install sentencepiece"
        raise ResourceError(f"tokenize={name!r} needs a package that is not installed: {advice}") from None
    return tokeniser


def _no_name(metric: object) -> str:
    raise NotImplementedError(f"{type(metric).__name__} needs a field `name`")


@dataclass(frozen=True)
class Tokenised:
    """A metric of tokens; it adds its `name`, `statistics` and `score`, and to the signature its `details`.

    `tokenize` is any tokeniser of sacreBLEU (13a, intl, zh, char, none, ...); `lowercase` lowers the case before it.
    `first_reference`: of several references only the first is used, and the signature says so (`refs:first`).

    Raises `ConfigError` for an unknown tokeniser, `ResourceError` for one that is not installed.
    """

    name = cast(Any, property(_no_name))  # a field, a property or a class variable may take its place
    higher_is_better = True
    needs_reference: ClassVar[bool] = True
    first_reference: ClassVar[bool] = False

    tokenize: str = "13a"
    lowercase: bool = False

    def __post_init__(self) -> None:
        _ = self.tokeniser  # what is not installed is missed now, not after an hour

    @property
    def tokeniser(self) -> Tokeniser:
        return Tokeniser(self.tokenize, self.lowercase)

    @property
    def details(self) -> Sequence[str]:
        """What else can move the number, e.g. `order:4`."""
        return ()

    @property
    def signature(self) -> str:
        """Name, case, tokeniser, the metric's details, and the version of the library."""
        used = ("refs:first",) if self.first_reference else ()
        return sacrebleu_signature(self.name, self.tokeniser.signature, *self.details, *used)

    def tokens(self, hypotheses: Sequence[str], test: TestSet) -> tuple[Tokens, Tokens]:
        """The tokens of the hypotheses, and of all references one after the other (or of the first alone).

        Equal tokens have equal numbers on both sides. Raises `AlignmentError` for unequal numbers of lines.
        """
        check_aligned(hypotheses, test)
        references = test.references[:1] if self.first_reference else test.references
        known = reference_tokens(self.tokeniser, references)
        return hypothesis_tokens(self.tokeniser, hashable(hypotheses), references), known


@cache
def sacrebleu_signature(name: str, *parts: str) -> str:
    """A signature in sacreBLEU's manner: `BLEU|case:mixed|tok:13a|...|sacrebleu:2.4.3`."""
    return "|".join([name, *parts, f"sacrebleu:{version('sacrebleu')}"])


BLOCK = 4096  # segments whose n-grams are prepared at a time
KEPT = 20_000_000  # n-grams of all references above which they are prepared at each use


@dataclass(frozen=True, eq=False)
class ReferenceNgrams:
    """References as symbols, and their n-grams where they are few enough to be kept.

    Line r * segments + s of `offsets` is reference r of segment s, as in `reference_tokens`.
    """

    symbols: Ints32
    offsets: Ints
    n_references: int
    order: int
    kept: tuple["Ngrams", ...] | None = None

    def prepared(self, most: int = KEPT) -> "ReferenceNgrams":
        """The same with its n-grams, unless they would take too much memory: of at most `most`."""
        if len(self.symbols) * self.order > most:
            return self
        return replace(self, kept=tuple(ngrams for _, ngrams in self.blocks()))

    @property
    def lengths(self) -> Ints:
        """(references, segments): symbols of each."""
        return np.diff(self.offsets).reshape(self.n_references, -1)

    def blocks(self) -> Iterator[tuple[slice, "Ngrams"]]:
        """The segments of each block, and the n-grams of their references."""
        for number, begin in enumerate(range(0, self.lengths.shape[1], BLOCK)):
            yield slice(begin, begin + BLOCK), self.kept[number] if self.kept else self._ngrams(begin)

    def matches(self, symbols: Ints32, offsets: Ints) -> Doubles:
        """Clipped matches of orders 1 to N of one system's lines: (segments, N)."""
        from clirbench.metrics.kernels import count_matches

        found = [np.empty((0, self.order))]
        for block, ngrams in self.blocks():
            found.append(count_matches(symbols, offsets[block.start : block.stop + 1], ngrams))
        return np.concatenate(found)

    def _ngrams(self, begin: int) -> "Ngrams":
        from clirbench.metrics.kernels import ngrams

        n_segments = self.lengths.shape[1]
        ends = min(begin + BLOCK, n_segments)
        parts = [self.offsets[r * n_segments + begin : r * n_segments + ends + 1] for r in range(self.n_references)]
        symbols = np.concatenate([self.symbols[part[0] : part[-1]] for part in parts])
        offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(np.concatenate([np.diff(p) for p in parts]))])
        return ngrams(symbols, offsets, self.n_references, self.order)
