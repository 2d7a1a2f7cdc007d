"""`analysis=[type_weights]`: what a word type weighs, the score lost when it is never translated right."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise

import numpy as np

from clirbench.computed import Inputs
from clirbench.errors import ConfigError, UnknownName
from clirbench.labs.papers.analyses.types import similar_types
from clirbench.metrics.base import Metric
from clirbench.metrics.tokens import Tokeniser, reference_tokens
from clirbench.pages.table import Table
from clirbench.pages.wording import fixed
from clirbench.report.drawing import Drawing
from clirbench.report.figures import Panel, panels
from clirbench.result import Result
from clirbench.types import Doubles, TestSet

ROWS = 40_000
"""Changed segments that are scored at once; bounds the memory."""


@dataclass(frozen=True)
class TypeWeight:
    """What a metric of a perfect translation loses without one word type, and how often the reference has it."""

    metric: str
    type: str
    frequency: int
    loss: float


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The tokens of a reference by segment, and its types by falling frequency, then name."""

    tokens: tuple[tuple[str, ...], ...]
    types: tuple[str, ...]
    frequency: tuple[int, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """The tokenised reference."""
        return tuple(" ".join(line) for line in self.tokens)


def vocabulary(reference: Sequence[str], tokenize: str = "13a", lowercase: bool = False) -> Vocabulary:
    """The types of a reference; raises `ConfigError` where it has none."""
    cut = reference_tokens(Tokeniser(tokenize, lowercase), (tuple(reference),))
    names = cut.types
    numbers = cut.numbers.tolist()
    lines = tuple(tuple(names[n] for n in numbers[a:b]) for a, b in pairwise(cut.offsets.tolist()))
    counts = Counter(numbers)
    if not counts:
        raise ConfigError("the reference has no tokens: its vocabulary is empty")
    order = sorted(counts, key=lambda n: (-counts[n], names[n]))
    return Vocabulary(lines, tuple(names[n] for n in order), tuple(counts[n] for n in order))


def type_weights(metric: Metric, words: Vocabulary, only: Sequence[str] = ()) -> dict[str, float]:
    """Type to loss: M(reference, reference) - M(copy, reference), on the metric's own scale.

    In the copy every token of the type is one out-of-vocabulary token of the same length. Only the segments that
    have the type are counted again, all types' segments at once; their statistics replace the old ones in the sums.
    Positive where the metric gets worse. Text is the tokenised reference, so a metric with a tokeniser of
    its own splits at spaces. For MacroF1 this is 100 * 2 / (V + 1), for MicroF1 with k = 1 100 * (f + 2) / (N + V + 1)
    (V types, N tokens, f of this type). Raises `UnknownName` for a type of `only` that does not occur.
    **Source:** Gowda et al. 2021b (Macro-average, extended), figure 7.
    """
    chosen = _chosen(words, only)
    plain = split_at_spaces(metric)
    sign = 1.0 if metric.higher_is_better else -1.0
    places: dict[str, list[int]] = {kind: [] for kind in chosen}
    for at, line in enumerate(words.tokens):
        for kind in dict.fromkeys(line):
            if kind in places:
                places[kind].append(at)
    lines = words.lines
    found: dict[str, float] = {}
    for block in _blocks(chosen, places):
        weighed = _losses(plain, words, lines, block, places)
        found |= dict(zip(block, (sign * weighed).tolist(), strict=True))
    return found


def split_at_spaces(metric: Metric) -> Metric:
    """The same metric for text whose tokens stand between spaces."""
    if any(field.name == "tokenize" for field in fields(metric)):  # type: ignore[arg-type]
        changed: Metric = replace(metric, tokenize="none")  # type: ignore[type-var]
        return changed
    return metric


def _chosen(words: Vocabulary, only: Sequence[str]) -> tuple[str, ...]:
    if not only:
        return words.types
    there = frozenset(words.types)
    for kind in only:
        if kind not in there:
            raise UnknownName("word type of the reference", kind, similar_types(kind, words.types))
    return tuple(only)


def _blocks(types: Sequence[str], places: dict[str, list[int]]) -> Iterator[list[str]]:
    block: list[str] = []
    rows = 0
    for kind in types:
        if block and rows + len(places[kind]) > ROWS:
            yield block
            block, rows = [], 0
        block.append(kind)
        rows += len(places[kind])
    if block:
        yield block


def _losses(
    metric: Metric, words: Vocabulary, lines: tuple[str, ...], block: Sequence[str], places: dict[str, list[int]]
) -> Doubles:
    """Losses of some types; the whole reference is scored along, so that types have the same columns in all rows."""
    from scipy.sparse import csr_array

    foreign = _foreign("".join(lines))
    rows = [(at, kind) for kind in block for at in places[kind]]
    changed = [
        " ".join(foreign * len(token) if token == kind else token for token in words.tokens[at]) for at, kind in rows
    ]
    origin = np.array([at for at, _ in rows])
    test = TestSet(((*lines, *(lines[at] for at in origin.tolist())),))
    statistics = metric.statistics((*lines, *changed), test)
    # Weights of rows: all segments once; for each type, its segments' old rows out and their changed rows in.
    n = len(lines)
    owner = np.repeat(np.arange(len(block)), [len(places[kind]) for kind in block])
    position = np.arange(len(rows))
    values = np.concatenate([np.ones(len(rows)), -np.ones(len(rows))])
    cells = (np.concatenate([owner, owner]), np.concatenate([n + position, origin]))
    change = csr_array((values, cells), shape=(len(block), n + len(rows)))
    whole = np.asarray(statistics[:n].sum(axis=0), dtype=np.float64).reshape(-1)
    perfect = float(metric.score(whole))
    if isinstance(statistics, np.ndarray):
        return perfect - metric.score(whole + change @ statistics)
    moved = (change @ statistics).tocsr()
    parts = [metric.score(whole + moved[at : at + 64].toarray()) for at in range(0, len(block), 64)]
    return perfect - np.concatenate(parts)


def _foreign(text: str) -> str:
    """A character of the private use area that does not occur in the text."""
    there = frozenset(text)
    return next(chr(code) for code in range(0xE000, 0xF8FF) if chr(code) not in there)


@dataclass(frozen=True)
class TypeWeightsAnalysis:
    """The weight of every word type of the first reference in every metric of the run that has statistics.

    `only`: these types alone. Raises `UnknownName` for one that does not occur, `ConfigError` without texts.
    """

    only: Sequence[str] = ()
    tokenize: str = "13a"
    lowercase: bool = False

    def check(self, result: Result) -> Inputs:
        """The texts; raises `ConfigError` where there are none, or no metric."""
        inputs = result.texts("type_weights")
        if not result.experiment.metrics:
            raise ConfigError("analysis type_weights needs a metric with statistics, such as metric=[BLEU]")
        return inputs

    def tables(self, result: Result) -> Sequence[Table]:
        inputs = self.check(result)
        words = vocabulary(inputs.corpus.test.references[0], self.tokenize, self.lowercase)
        frequency = dict(zip(words.types, words.frequency, strict=True))
        weights = {metric.name: type_weights(metric, words, self.only) for metric in result.experiment.metrics}
        rows = [
            TypeWeight(metric=name, type=kind, frequency=frequency[kind], loss=loss)
            for name, losses in weights.items()
            for kind, loss in losses.items()
        ]
        return (
            Table.of(
                "type_weights",
                "What the word types weigh",
                TypeWeight,
                rows,
                weight_findings(weights, frequency),
                figure=lambda: figure(weights, frequency),
                shown=20,
            ),
        )


def weight_findings(weights: dict[str, dict[str, float]], frequency: dict[str, int]) -> Iterator[str]:
    """For each metric the heaviest type, and which share of all losses the ten most frequent types have."""
    yield (
        "loss is what the corpus score of a perfect translation loses when every token of the type is one "
        "out-of-vocabulary token of the same length."
    )
    for name, losses in weights.items():
        heaviest = max(losses, key=lambda kind: losses[kind])
        ten = sorted(losses, key=lambda kind: -frequency[kind])[:10]
        total = sum(losses.values())
        share = sum(losses[kind] for kind in ten) / total if total else 0.0
        yield (
            f"{name}: the heaviest type is {heaviest!r} (loss {fixed(losses[heaviest], 4)}); the {len(ten)} most "
            f"frequent of {len(losses)} types have {fixed(100 * share, 1)} % of all losses."
        )


def figure(weights: dict[str, dict[str, float]], frequency: dict[str, int]) -> Drawing:
    """Loss by rank of the type, and the frequency, on logarithmic axes."""
    types = sorted(next(iter(weights.values())), key=lambda kind: -frequency[kind])
    columns: dict[str, Mapping[str, float]] = {"frequency": frequency, **weights}
    lines = {name: [(rank, column[kind]) for rank, kind in enumerate(types, 1)] for name, column in columns.items()}
    below, beside = "rank of the word type by frequency", "frequency; loss of the corpus score"
    return panels([Panel(below, beside, lines, powers="xy")])
