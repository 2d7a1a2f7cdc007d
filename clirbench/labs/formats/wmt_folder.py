"""Collections of WMT submissions of one year: a folder for each language pair, in the layout of a folder of MT outputs.

YEAR/PAIR/source.txt  reference-A.txt  reference-B.txt  systems/NAME.txt  docs.tsv  (plain or .gz)
YEAR/PAIR/official-metrics.tsv   system, metric (COMET-A, bleu-all, ...), score
YEAR/PAIR/human.tsv              system, score_z, ..., kind (`human`: a human translation that was scored too)
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from clirbench.checks import whole_number
from clirbench.corpora.base import Corpus
from clirbench.corpora.layout import chosen_references, folder_layout
from clirbench.corpora.sides import SideSettings, read_english, read_test_set
from clirbench.errors import ConfigError
from clirbench.files.tables import read_table
from clirbench.metrics.score_files import ScoreFile

HUMAN = "human"
OFFICIAL = ("system", "metric", "score")


@dataclass(frozen=True)
class WmtFolder:
    """One language pair of one year as test set and collection; its official scores are metrics.

    `part` is YEAR/PAIR of the folder `mirror` (`wmt22/de-en`); without a mirror, the path of a folder. After it,
    /X-Y (`wmt22/de-en/A-B`) searches reference X and scores against reference Y; else the first reference is both. A
    document is what docs.tsv says, else `documents_size` consecutive lines. The official COMET scores against the
    scoring reference are the metric `COMET-YEAR`, because each year had another model; the official human scores
    (standardised) are `human`, which rows of human translations are no part of. A system without an official score is
    a hole. `read` raises as `FolderCorpus` does.
    """

    mirror: str | None = None
    part: str | None = None
    documents_size: int = 10
    collection: str = ""

    def __post_init__(self) -> None:
        whole_number("corpus.documents_size", self.documents_size)
        if not self.part:
            raise ConfigError("no folder of WMT submissions is named: folder=DATA/wmt22/de-en was expected")
        if self.mirror and (len(Path(self.part).parts) not in (2, 3) or ".." in self.part or self.part[0] == "/"):
            raise ConfigError(
                f"corpus.part={self.part}: YEAR/PAIR of paths.mirror was expected, such as wmt22/de-en, or "
                "wmt22/de-en/A-B to search reference A and to score against reference B"
            )

    def read(self) -> Corpus:
        folder = (Path(self.mirror or "") / (self.part or "")).expanduser().absolute()
        crossed = () if folder.is_dir() or not (folder.parent / "systems").is_dir() else tuple(folder.name.split("-"))
        part = "/".join(folder.parts[-3:] if crossed else folder.parts[-2:])
        folder = folder.parent if crossed else folder
        layout = folder_layout(folder)
        named = crossed or chosen_references(layout, "first")
        chosen_references(layout, list(dict.fromkeys(named)))  # raises for names that it does not have
        searched, scoring = SideSettings(named[0], self.documents_size), SideSettings(named[-1], self.documents_size)
        documents, _ = read_english(layout, searched)
        blocks = "docs.tsv" not in layout.singles
        notes = (
            *((f"{part}: metrics score against reference {named[-1]}, {named[0]} is searched",) if crossed else ()),
            *((f"{part}: no docs.tsv; {self.documents_size} consecutive lines are a document",) if blocks else ()),
        )
        return Corpus(
            test=read_test_set(layout, scoring),
            english=documents,
            source=layout.source,
            collection=self.collection,
            test_layout=layout,
            collection_layout=layout,
            crossed=(named[0], named[-1]) if named[0] != named[-1] else None,
            notes=tuple(notes),
            scores=tuple(official_scores(folder, folder.parent.name, named[-1])),
        )


def official_scores(folder: Path, year: str, reference: str) -> Iterator[ScoreFile]:
    """The official COMET scores against a reference and the human scores of a folder, each where there are any.

    Scores of which a system has several, against references that the file does not name, are none.
    """
    published, judged = folder / "official-metrics.tsv", folder / "human.tsv"
    if published.is_file():
        table = read_table(published)
        rows = Counter(zip(table.column("system"), table.column("metric"), strict=True))
        several = {metric for (_, metric), number in rows.items() if number > 1}
        for name in (f"COMET-{reference}", "COMET"):
            if name in table.column("metric") and name not in several:
                chosen = {"metric": name}
                label = f"COMET-{year.removeprefix('wmt')}"
                yield ScoreFile(
                    label, str(published), "table", "system", columns=OFFICIAL, select=chosen, missing="hole"
                )
                break
    if judged.is_file() and "system" in read_table(judged).column("kind"):
        chosen = {"metric": "score_z", "kind": "system"}
        yield ScoreFile(HUMAN, str(judged), "auto", "system", select=chosen, missing="hole")
