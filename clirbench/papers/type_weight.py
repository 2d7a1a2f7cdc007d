"""Figure 7 of Gowda 2020: what a word type weighs, beside the published losses."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from clirbench.analyses.type_weights import Vocabulary, type_weights, vocabulary
from clirbench.datasets.manifests import ManifestFiles, Places, load_manifest
from clirbench.errors import InputError
from clirbench.metrics.base import Metric
from clirbench.papers.cells import PaperCell, cells_table, compared, without
from clirbench.result import AnalysisTable
from clirbench.text import TextFile
from clirbench.types import Doubles

if TYPE_CHECKING:
    from clirbench.result import Result

FILE = "bleu-damage-norecall.tsv"
HOW = (
    "the text, the English reference of newstest2019 German-English, is not at hand; "
    "with that file say paper.reference=FILE"
)


@dataclass(frozen=True)
class TypeWeights:
    """The losses printed for one type, and the authors' file of the losses of every type.

    printed: {type, metric, loss, digits}. From the file alone follow V + N and V, the constants of the closed forms,
    and with them the printed MacroF1 and MicroF1; BLEU and chrF1 need `reference`, the text.
    """

    name: str
    title: str
    printed: Sequence[Mapping[str, str]]
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    manifest: str = "gowda2021_type_weight"
    mirror: str | None = None
    cache: str | None = None
    download: bool = False
    reference: str | None = None

    def tables(self, result: "Result") -> Sequence[AnalysisTable]:
        """The printed losses and the whole published file beside ours."""
        files = ManifestFiles(load_manifest(self.manifest), Places(self.mirror, self.cache, self.download))
        frequency, macro, micro = read_losses(files.locate([FILE])[FILE])
        words = vocabulary(TextFile(Path(self.reference)).lines()) if self.reference else None
        cells = [*self._file_cells(frequency, macro, micro), *self._printed_cells(frequency, micro, macro, words)]
        return [cells_table(self.name, self.title, cells)]

    def _file_cells(self, frequency: Doubles, macro: Doubles, micro: Doubles) -> Iterator[PaperCell]:
        """How many types of the file lose what the closed forms say: (f + 1) / (N + V), and 1 / V for every type.

        The file leaves the out-of-vocabulary token out of V ("no recall"), the printed losses count it.
        """
        tokens_and_types = fitted(frequency, micro)
        agree = int((np.abs(100 * (frequency + 1) / tokens_and_types - micro) <= 1e-5).sum())
        note = f"types of the file whose loss is 100 (f + 1) / (N + V), N + V = {tokens_and_types}"
        n = len(frequency)
        yield compared(self.name, "file", "types that agree", "MicroF1", agree, str(agree), str(n), note=note)
        alike = int((np.abs(macro - macro[0]) <= 1e-9).sum())
        note = f"types of the file with one and the same loss, 100 / V = {macro[0]:.5f}"
        yield compared(self.name, "file", "types that agree", "MacroF1", alike, str(alike), str(n), note=note)

    def _printed_cells(
        self, frequency: Doubles, micro: Doubles, macro: Doubles, words: Vocabulary | None
    ) -> Iterator[PaperCell]:
        total = fitted(frequency, micro)
        types = 100 / float(macro[0])
        weights: dict[tuple[str, str], float] = {}
        for entry in self.printed:
            kind, metric, digits = entry["type"], entry["metric"], int(entry["digits"])
            note = ""
            if words is not None and metric in self.metrics:
                if (metric, kind) not in weights:
                    weights |= {(metric, k): x for k, x in type_weights(self.metrics[metric], words, [kind]).items()}
                loss = weights[metric, kind]
            elif metric == "MicroF1":
                loss = 100 * (float(entry["frequency"]) + 2) / (total + 1)
                note = f"closed form 100 (f + 2) / (N + V + 1), N + V = {total} from the published file"
            elif metric == "MacroF1":
                loss = 200 / (types + 1)
                note = f"closed form 100 * 2 / (V + 1), V = {types:.0f} from the published file"
            else:
                yield without(self.name, repr(kind), "loss", metric, entry["loss"], HOW)
                continue
            shown = f"{loss:.{digits}f}"
            yield compared(self.name, repr(kind), "loss", metric, loss, shown, entry["loss"],
                           explained=_why(entry), note=note)  # fmt: skip


def _why(entry: Mapping[str, str]) -> dict[str, str]:
    return {entry["ours"]: entry["note"]} if "ours" in entry else {}


def fitted(frequency: Doubles, micro: Doubles) -> int:
    """N + V of a file of MicroF1 losses 100 (f + 1) / (N + V), from its most frequent type."""
    at = int(frequency.argmax())
    return round(100 * (float(frequency[at]) + 1) / float(micro[at]))


def read_losses(path: Path) -> tuple[Doubles, Doubles, Doubles]:
    """Frequency and the losses of MacroF1 and MicroF1 of every type; raises `InputError` with the line."""
    lines = [line for line in TextFile(path).lines() if line]
    header = [name.strip() for name in lines[0].split("\t")] if lines else []
    wanted = ("Frequency", "macrof", "microf")
    if missing := [name for name in wanted if name not in header]:
        raise InputError(f"{path}: no column {', '.join(missing)}")
    rows = []
    for number, line in enumerate(lines[1:], start=2):
        cells = line.split("\t")
        try:
            rows.append([float(cells[header.index(name)]) for name in wanted])
        except (ValueError, IndexError):
            raise InputError(f"{path}: line {number}: numbers were expected in {', '.join(wanted)}") from None
    if not rows:
        raise InputError(f"{path}: no word types")
    frequency, macro, micro = np.array(rows).T
    return frequency, 100 - macro, 100 - micro
