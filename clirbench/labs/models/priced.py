"""What does retrieval quality cost? Engines that ran, by processor seconds for a million words and by the retrieval
quality that they reach; joins every run of engines (conf/joining.yaml).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isnan, nan
from time import process_time

import numpy as np

from clirbench.labs.models.dense import Dense, Encoder, ProgramEncoder, vectors
from clirbench.labs.models.fusion import Fusion
from clirbench.labs.models.translating import MILLION, costs, machine_texts
from clirbench.pages import Table
from clirbench.report.drawing import Drawing
from clirbench.report.figures import Powers, Scale, axes, name_axes, named_marks
from clirbench.result import NO_TRANSLATION, Result
from clirbench.retrieval.base import Retriever
from clirbench.scoreboard import Column
from clirbench.store.cached import cached_result
from clirbench.text import Text
from clirbench.types import DocumentMap, Documents, Doubles

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 460.0, 280.0, 50.0, 110.0, 20.0, 40.0


@dataclass(frozen=True)
class Priced:
    """A `system` searched by a `retriever`: its `kind` of engine, processor `seconds_per_million_words` of the source
    (NaN: not measured), `value` of the `measure`, `of_english`: divided by that of the English side, and
    `on_frontier` (true or false): no other row is as cheap and better, or cheaper and as good."""

    system: str
    retriever: str
    kind: str
    seconds_per_million_words: float
    measure: str
    value: float
    of_english: float
    on_frontier: str = "false"

    @property
    def beaten(self) -> bool:
        return self.on_frontier == "false"


@dataclass(frozen=True)
class Frontier:
    """Table `frontier`: systems that translators made and, where a dense or fused retriever searched it, the
    untranslated side, by cost and by the measure of the decision; none where nothing was measured.
    """

    def tables(self, result: Result) -> Sequence[Table]:
        rows = with_frontier([*_translated(result), *_untranslated(result)])
        if all(row.kind == "none" or isnan(row.seconds_per_million_words) for row in rows):
            return ()
        title = "What does retrieval quality cost?"
        return (Table.of("frontier", title, Priced, rows, (CAPTION,), figure=lambda: plot(rows)),)


def with_frontier(rows: Sequence[Priced]) -> list[Priced]:
    """The rows, the cheapest first and those without a cost last, each with whether it is on the frontier."""
    known = [row for row in rows if not isnan(row.seconds_per_million_words) and not isnan(row.value)]
    order = sorted(rows, key=lambda row: (isnan(row.seconds_per_million_words), row.seconds_per_million_words))
    chosen = [row for row in known if not any(_beats(one, row) for one in known)]
    return [replace(row, on_frontier=str(row in chosen).lower()) for row in order]


def _beats(one: Priced, other: Priced) -> bool:
    cost, than = one.seconds_per_million_words, other.seconds_per_million_words
    return cost <= than and one.value >= other.value and (cost < than or one.value > other.value)


def _translated(result: Result) -> Iterator[Priced]:
    """A row for each system that a translator made."""
    if result.inputs is None or not result.decided_by:
        return
    column = result.board[result.decided_by]
    kinds = {text.system: text.steps.kind for text in machine_texts(result.inputs.translations)}
    spent = costs(result.inputs.translations)
    named = dict(zip(result.board.systems, result.board.metadata.get("kind", ()), strict=False))
    for system, value in zip(result.board.systems, column.values.tolist(), strict=True):
        if system in kinds:
            cost = spent.get(system, nan)
            yield _row(result, system, column, named.get(system) or kinds[system], cost, value)


def _untranslated(result: Result) -> Iterator[Priced]:
    """Rows for the untranslated side: as the first retriever finds it, and each dense or fused one."""
    if result.inputs is None or NO_TRANSLATION not in result.baselines.systems or not result.decided_by:
        return
    at = result.baselines.systems.index(NO_TRANSLATION)
    text = next(t.collection for t in result.inputs.baselines if t.system == NO_TRANSLATION)
    for label, retriever in result.experiment.retrievers.items():
        column = _searched_by(result.baselines.measures, result.decided_by, label)
        if column is None or retriever is None or text is None:
            continue
        cost = sum(_encoding(result, one, text) for one in _encoders(retriever))
        kind = "dense" if isinstance(retriever, Dense) else "fusion" if isinstance(retriever, Fusion) else "none"
        yield _row(result, NO_TRANSLATION, column, kind, cost, float(column.values[at]))


def _row(result: Result, system: str, column: Column, kind: str, cost: float, value: float) -> Priced:
    share = value / result.monolingual if result.monolingual > 0 else nan
    return Priced(system, column.retriever, kind, cost, column.name, value, share)


def _searched_by(columns: Sequence[Column], measure: str, label: str) -> Column | None:
    """The column of the same measure by another retriever: `RR[dense]` for `RR`."""
    base, marks = _marks(measure)
    return next((c for c in columns if _marks(c.name) == (base, marks | {label} - {""})), None)


def _marks(name: str) -> tuple[str, frozenset[str]]:
    base, _, rest = name.partition("[")
    return base, frozenset(rest.rstrip("]").split(",")) - {""}


def _encoders(retriever: Retriever) -> Iterator[Dense]:
    if isinstance(retriever, Dense):
        yield retriever
    for one in retriever.of.values() if isinstance(retriever, Fusion) else ():
        yield from _encoders(one)


def _encoding(result: Result, retriever: Dense, text: Text) -> float:
    assert result.inputs is not None
    if getattr(retriever.encoder, "works_elsewhere", False):
        return nan
    documents = result.inputs.corpus.document_map
    step = EncodingCost(retriever.encoder, retriever.passage, retriever.passage_prefix, documents)
    (found,) = cached_result(result.experiment.engine, step, text)
    return float(found[0])


def seconds_of(encoder: Encoder) -> float:
    """Processor seconds of an encoder so far."""
    return encoder.seconds() if isinstance(encoder, ProgramEncoder) else process_time()


@dataclass(frozen=True)
class EncodingCost:
    """A text -> (1,) processor seconds for a million of its words, its vectors made again with the model loaded.

    It is kept as other results are, so a rerun finds the same seconds.
    """

    encoder: Encoder
    words: int
    prefix: str
    document_map: DocumentMap

    def __call__(self, text: Text) -> Doubles:
        documents = Documents(text, self.document_map)
        self.encoder.encode(["one text"])  # loads the model
        begun = seconds_of(self.encoder)
        vectors(self.encoder, documents, self.words, self.prefix)
        seconds = seconds_of(self.encoder) - begun
        words = sum(len(document.text.split()) for document in documents)
        return np.array([MILLION * seconds / words if words else nan])


CAPTION = (
    "On the frontier is an engine than which none is better and no dearer. The cost is the processor time of engines "
    "on the machine that ran them, for a million words of the source, without that of loading models and of searching; "
    "it was measured once and is kept with the translation. That of a server is not known."
)


def _name(row: Priced) -> str:
    return f"{row.system} ({row.kind})" if row.system == NO_TRANSLATION and row.kind != "none" else row.system


def plot(rows: Sequence[Priced]) -> Drawing:
    """Quality by cost; costs in powers of ten, the frontier with its own mark."""
    known = [row for row in rows if not isnan(row.seconds_per_million_words) and not isnan(row.value)]
    drawing = Drawing(WIDTH, HEIGHT)
    costs = np.array([Powers.place(row.seconds_per_million_words) for row in known])
    across = Powers.over(costs, LEFT, WIDTH - RIGHT)
    along = Scale.over(np.array([row.value for row in known]), HEIGHT - BOTTOM, TOP)
    axes(drawing, across, along)
    places = [(across(cost), along(row.value)) for row, cost in zip(known, costs.tolist(), strict=True)]
    named_marks(drawing, places, [_name(row) for row in known], [int(row.beaten) for row in known])
    name_axes(drawing, across, along, "processor seconds for a million words", known[0].measure.partition("[")[0], 0)
    return drawing
