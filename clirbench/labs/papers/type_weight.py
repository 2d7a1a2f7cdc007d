"""What a word type weighs, beside the published losses.

**Source:** Gowda 2020, Figure 7 and its caption, and the authors' file behind it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from clirbench.checks import require
from clirbench.errors import InputError, UnknownName
from clirbench.labs.papers.analyses.type_weights import Vocabulary, type_weights, vocabulary
from clirbench.labs.papers.author_files import read_author_table
from clirbench.labs.papers.cells import PaperCell, known_differences
from clirbench.labs.papers.published import PublishedFiles
from clirbench.metrics.base import Metric
from clirbench.text import TextFile
from clirbench.types import Doubles

FILE = "bleu-damage-norecall.tsv"
LABEL = "DE-EN"
HOW = (
    "the text, the English reference of newstest2019 German-English, is missing; for a folder that has it as "
    f"reference.txt add 'paper.folders={{{LABEL}: \"DIR\"}}'"
)


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
    chrF1 need the text, `reference.txt` of `folders[DE-EN]`: plain, or lower-cased and tokenised as the authors had it.
    Raises `InputError` where its types are not as frequent as printed (`the` 3,019 times): it is another text.
    """

    printed: Sequence[Mapping[str, str]]
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    folders: Mapping[str, str] = field(default_factory=dict)

    def cells(self) -> Iterator[PaperCell]:
        """The whole published file and the printed losses beside ours."""
        losses = read_losses(self.locate(FILE)[FILE])
        yield from file_cells(losses)
        for entry in self.printed:
            yield self._printed_cell(entry, losses)

    @cached_property
    def _words(self) -> Vocabulary | None:
        if unknown := [label for label in self.folders if label != LABEL]:
            raise UnknownName("language pair of paper.folders", unknown[0], [LABEL])
        if not self.folders:
            return None
        path = Path(self.folders[LABEL]) / "reference.txt"
        words = vocabulary(moses_tokens(TextFile(path).lines()), tokenize="none")
        frequency = dict(zip(words.types, words.frequency, strict=True))
        for entry in self.printed:
            kind, printed = entry["type"], int(entry.get("frequency", 0))
            if printed and frequency.get(kind, 0) != printed:
                raise InputError(
                    f"{path}: {kind!r} occurs {frequency.get(kind, 0):,} times, lower-cased and tokenised by "
                    f"Moses, and in the published text {printed:,} times: it is another text, so nothing is compared"
                )
        return words

    def _printed_cell(self, entry: Mapping[str, str], losses: Losses) -> PaperCell:
        row, metric, printed = repr(entry["type"]), entry["metric"], entry["loss"]
        if self._words is not None and metric in self.metrics:
            loss = type_weights(self.metrics[metric], self._words, [entry["type"]])[entry["type"]]
            note = ""
        elif metric == "MicroF1":
            total = losses.tokens_and_types
            loss = 100 * (float(entry["frequency"]) + 2) / (total + 1)
            note = f"closed form 100 (f + 2) / (N + V + 1), N + V = {total} from the published file"
        elif metric == "MacroF1":
            loss = 200 / (losses.n_types + 1)
            note = f"closed form 100 * 2 / (V + 1), V = {losses.n_types:.0f} from the published file"
        else:
            return PaperCell(row, "loss", metric, printed=printed, note=HOW)
        shown = f"{loss:.{int(entry['digits'])}f}"
        known = known_differences([entry]) if "ours" in entry else []
        return PaperCell(row, "loss", metric, printed=printed, shown=shown, value=loss, note=note, known=known)


def moses_tokens(lines: Sequence[str]) -> list[str]:
    """The text as the authors had it: lower-cased, tokenised by Moses with hyphens apart (`@-@`), nothing escaped.

    A text that has `@-@` already is taken as it is. Raises `ResourceError` where sacremoses is not installed.
    """
    lowered = [line.lower() for line in lines]
    if any(" @-@ " in line for line in lowered):
        return lowered
    require("the text of Figure 7", "moses", "sacremoses")
    from sacremoses import MosesTokenizer

    tokenise = MosesTokenizer("en").tokenize
    return [" ".join(tokenise(line, aggressive_dash_splits=True, escape=False)) for line in lowered]


def file_cells(losses: Losses) -> Iterator[PaperCell]:
    """How many types of the file lose what the closed forms say: (f + 1) / (N + V), and 1 / V for every type.

    The file leaves the out-of-vocabulary token out of V ("no recall"), the printed losses count it.
    """
    total = losses.tokens_and_types
    as_formula = np.abs(100 * (losses.frequency + 1) / total - losses.micro) <= 1e-5
    alike = np.abs(losses.macro - losses.macro[0]) <= 1e-9
    micro = f"types of the file whose loss is 100 (f + 1) / (N + V), N + V = {total}"
    macro = f"types of the file with one and the same loss, 100 / V = {losses.macro[0]:.5f}"
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
