"""`analysis=[type_weights]`: the score lost when a word type is never translated right; published losses beside ours.

**Source:** Gowda 2020, Figure 7 and its caption, and the authors' file behind it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, chain, groupby
from pathlib import Path

import numpy as np

from clirbench.errors import ConfigError, InputError, UnknownName
from clirbench.labs.papers.published import Entry, PaperCell, PublishedFiles, read_author_table
from clirbench.labs.papers.rankings import row_scores, with_setting
from clirbench.labs.papers.types import similar_types
from clirbench.metrics.base import Metric
from clirbench.metrics.tokens import Tokeniser, reference_tokens
from clirbench.pages import Table, fixed
from clirbench.report.drawing import Drawing
from clirbench.report.figures import Panel, panels
from clirbench.result import Inputs, Result
from clirbench.types import Doubles, TestSet, by_key

ROWS = 40_000
"""Changed segments that are scored at once; bounds the memory."""
LOSS = (
    "loss is what the corpus score of a perfect translation loses when every token of the type is one "
    "out-of-vocabulary token of the same length."
)
FILE = "bleu-damage-norecall.tsv"
HOW = (
    "needs the text, the English reference of newstest2019 German-English, which does not ship; for a folder "
    "that has it as reference.txt: folder=DIR analysis=[type_weights]"
)


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
        frequency = words.frequency
        weights = {metric.name: type_weights(metric, words, self.only) for metric in result.experiment.metrics}
        rows = tuple(
            (name, kind, frequency[kind], loss) for name, losses in weights.items() for kind, loss in losses.items()
        )
        header, title = ("metric", "type", "frequency", "loss"), "What the word types weigh"
        return (Table("type_weights", title, header, rows, (LOSS,), partial(figure, weights, frequency), shown=20),)


def figure(weights: dict[str, dict[str, float]], frequency: Mapping[str, int]) -> Drawing:
    """Loss by rank of the type, and the frequency, on logarithmic axes."""
    types = sorted(next(iter(weights.values())), key=lambda kind: -frequency[kind])
    columns: dict[str, Mapping[str, float]] = {"frequency": frequency, **weights}
    lines = {name: [(rank, column[kind]) for rank, kind in enumerate(types, 1)] for name, column in columns.items()}
    below, beside = "rank of the word type by frequency", "frequency; loss of the corpus score"
    return panels([Panel(below, beside, lines, powers="xy")])


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The tokens of a reference by segment, and the frequency of its types, falling, then by name."""

    tokens: Sequence[Sequence[str]]
    frequency: Mapping[str, int]

    @property
    def lines(self) -> tuple[str, ...]:
        """The tokenised reference."""
        return tuple(" ".join(line) for line in self.tokens)


def vocabulary(reference: Sequence[str], tokenize: str = "13a", lowercase: bool = False) -> Vocabulary:
    """The types of a reference; raises `ConfigError` where it has none."""
    tokens = reference_tokens(Tokeniser(tokenize, lowercase), (tuple(reference),)).lines()
    counts = Counter(chain.from_iterable(tokens))
    if not counts:
        raise ConfigError("the reference has no tokens: its vocabulary is empty")
    return Vocabulary(tokens, dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))))


def type_weights(metric: Metric, words: Vocabulary, only: Sequence[str] = ()) -> dict[str, float]:
    """Type to loss: M(reference, reference) - M(copy, reference), on the metric's own scale.

    In the copy every token of the type is one out-of-vocabulary token of the same length. Only the segments that
    have the type are counted again, all types' segments at once; their statistics replace the old ones in the sums.
    Positive where the metric gets worse. Text is the tokenised reference, so a metric with a tokeniser of
    its own splits at spaces. For MacroF1 this is 100 * 2 / (V + 1), for MicroF1 with k = 1 100 * (f + 2) / (N + V + 1)
    (V types, N tokens, f of this type). Raises `UnknownName` for a type of `only` that does not occur.
    **Source:** Gowda et al. 2021b (Macro-average, extended), figure 7.
    """
    for kind in only:
        if kind not in words.frequency:
            raise UnknownName("word type of the reference", kind, similar_types(kind, [*words.frequency]))
    plain = with_setting(metric, tokenize="none")  # tokens are between spaces
    sign = 1.0 if metric.higher_is_better else -1.0
    segments_of = by_key((kind, at) for at, line in enumerate(words.tokens) for kind in dict.fromkeys(line))
    places = {kind: segments_of[kind] for kind in only or words.frequency}
    lines = words.lines
    found: dict[str, float] = {}
    before = dict(zip(places, accumulate(map(len, places.values())), strict=True))
    for _, kinds in groupby(places, lambda kind: before[kind] // ROWS):
        block = list(kinds)
        weighed = _losses(plain, words, lines, block, places)
        found |= dict(zip(block, (sign * weighed).tolist(), strict=True))
    return found


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
    return float(metric.score(whole)) - row_scores(metric, change @ statistics, whole)


def _foreign(text: str) -> str:
    """A character of the private use area that does not occur in the text."""
    there = frozenset(text)
    return next(chr(code) for code in range(0xE000, 0xF8FF) if chr(code) not in there)


@dataclass(frozen=True)
class Losses:
    """The authors' file: frequency of each type and what MacroF1 and MicroF1 lose without it, each (types,)."""

    frequency: Doubles
    macro: Doubles
    micro: Doubles

    @property
    def tokens_and_types(self) -> int:
        """N + V, of losses 100 (f + 1) / (N + V), from the most frequent type."""
        at = int(self.frequency.argmax())
        return round(100 * (float(self.frequency[at]) + 1) / float(self.micro[at]))

    @property
    def n_types(self) -> float:
        """V, of losses 100 / V."""
        return 100 / float(self.macro[0])


@dataclass(frozen=True, kw_only=True)
class TypeWeights(PublishedFiles):
    """The losses printed for one type, and the authors' file of the losses of every type.

    printed: {type, metric, loss, digits}, and {ours, note} where a difference is understood. From the file alone
    follow V + N and V, the constants of the closed forms, and with them the printed MacroF1 and MicroF1; BLEU and
    chrF1 need the text.
    """

    printed: Sequence[Entry]

    def cells(self) -> Iterator[PaperCell]:
        """The whole published file and the printed losses beside ours."""
        losses = read_losses(self.locate(FILE)[FILE])
        yield from file_cells(losses)
        for entry in self.printed:
            yield self._printed_cell(entry, losses)

    def _printed_cell(self, entry: Entry, losses: Losses) -> PaperCell:
        row, metric, printed = repr(entry["type"]), entry["metric"], entry["loss"]
        if metric == "MicroF1":
            total = losses.tokens_and_types
            loss = 100 * (float(entry["frequency"]) + 2) / (total + 1)
            note = f"closed form 100 (f + 2) / (N + V + 1), N + V = {total} from the published file"
        elif metric == "MacroF1":
            loss = 200 / (losses.n_types + 1)
            note = f"closed form 100 * 2 / (V + 1), V = {fixed(losses.n_types)} from the published file"
        else:
            return PaperCell(row, "loss", metric, printed=printed, note=HOW)
        shown = fixed(loss, int(entry["digits"]))
        known = [entry] if "ours" in entry else ()
        return PaperCell(row, "loss", metric, printed=printed, shown=shown, value=loss, note=note, known=known)


def file_cells(losses: Losses) -> Iterator[PaperCell]:
    """How many types of the file lose what the closed forms say: (f + 1) / (N + V), and 1 / V for every type.

    The file leaves the out-of-vocabulary token out of V ("no recall"), the printed losses count it.
    """
    total = losses.tokens_and_types
    as_formula = np.abs(100 * (losses.frequency + 1) / total - losses.micro) <= 1e-5
    alike = np.abs(losses.macro - losses.macro[0]) <= 1e-9
    micro = f"types of the file whose loss is 100 (f + 1) / (N + V), N + V = {total}"
    macro = f"types of the file with one and the same loss, 100 / V = {fixed(losses.macro[0], 5)}"
    for metric, agreeing, note in (("MicroF1", as_formula, micro), ("MacroF1", alike, macro)):
        n, printed = int(agreeing.sum()), str(len(agreeing))
        yield PaperCell("file", "types that agree", metric, printed=printed, shown=str(n), value=n, note=note)


def read_losses(path: Path) -> Losses:
    """Read the authors' file of every type; raises `InputError` with the line."""
    table = read_author_table(path)
    if not table.lines:
        raise InputError(f"{path}: no word types")
    frequency, macro, micro = (np.array(table.numbers(name)) for name in ("Frequency", "macrof", "microf"))
    return Losses(frequency, macro=100 - macro, micro=100 - micro)
