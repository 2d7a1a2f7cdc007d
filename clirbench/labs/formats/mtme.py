"""Test sets whose sides are segments of documents (`corpus_of`), and the folders of mt-metrics-eval (version 2): one
test set, one language pair.

    sources/PAIR.txt  references/PAIR.NAME.txt  documents/PAIR.docs  system-outputs/PAIR/NAME.txt
    metric-scores/PAIR/NAME-REF.LEVEL.score  human-scores/PAIR.NAME.LEVEL.score

**Source:** README.md of google-research/mt-metrics-eval, file organisation and naming convention.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

import numpy as np

from clirbench.corpora.base import Corpus
from clirbench.corpora.layout import HeldLayout, Layout, chosen_references, layout_of, located
from clirbench.corpora.sides import SideTexts, check_doc_id, first_ten, read_corpus, side_texts
from clirbench.errors import ConfigError, InputError
from clirbench.files.score_tables import HOLES, column_rows
from clirbench.metrics.score_files import ScoreFile, number as finite
from clirbench.text import Text, TextLines
from clirbench.types import Doubles, by_key

CLOSE = 1e-3
"""How near, as a share, the mean of segments' scores must come to a system's score to be it, printed as it may be."""


@dataclass(frozen=True)
class MtmeCorpus:
    """A test set in mt-metrics-eval's layout as test set and collection; its systems take part by `systems=files`.

    `folder` is the test set (`.../wmt22`), `pair` the language pair (`de-en`). `references` is `first`, `all`, or
    names as the files have them (`refA`). References that are scored as systems too are no systems here. Scores of
    metrics and of people that lie beside are metrics too, by the names of their files (see `found_scores`); `scores`
    are glob patterns of those that take part. `read` raises `InputError` naming file and line, `AlignmentError` for
    unequal line counts.
    """

    folder: str | Path | None = None
    pair: str | None = None
    references: str | Sequence[str] = "first"
    collection: str = ""
    scores: Sequence[str] = ("*",)

    def __post_init__(self) -> None:
        if not str(self.folder or ""):
            raise ConfigError("folder is not set: name a test set, folder=DIR, and its languages, corpus.pair=de-en")
        if not self.pair:
            pairs = sorted(path.stem for path in Path(self.folder or "").glob("sources/*.txt"))
            raise ConfigError(f"corpus.pair is not set; type corpus.pair={' or '.join(pairs) or 'de-en'}")

    def read(self) -> Corpus:
        root = Path(self.folder or "")
        layout = self._layout(root)
        corpus = read_corpus(layout, layout, self.references, self.collection)
        chosen = chosen_references(layout, self.references)
        scores, notes = found_scores(root, str(self.pair), chosen, tuple(layout.systems), self.scores)
        return replace(corpus, scores=scores, notes=(*corpus.notes, *notes))

    def side_texts(self) -> SideTexts:
        """What tells the languages."""
        layout = self._layout(Path(self.folder or ""))
        return side_texts(layout, layout, self.references)

    def _layout(self, root: Path) -> Layout:
        if not root.is_dir():
            raise InputError(f"{root}: no such folder; a test set of mt-metrics-eval was expected")
        pair = str(self.pair)
        named = [path for path in text_files(root / "references") if path.name.startswith(f"{pair}.")]
        references = {path.stem.removeprefix(f"{pair}."): path for path in named}
        outputs = text_files(root / "system-outputs" / pair)
        systems = {path.stem: path for path in outputs if path.stem not in references}
        if not references or not systems:
            has = ", ".join(sorted(path.name for path in (root / "system-outputs").glob("*-*"))) or "none"
            raise InputError(f"{root}: no references/{pair}.NAME.txt or system-outputs/{pair}/NAME.txt; pairs: {has}")
        paths = {f"reference-{name}.txt": path for name, path in references.items()}
        paths |= {f"systems/{name}.txt": path for name, path in systems.items()}
        source = root / "sources" / f"{pair}.txt"
        paths |= {"source.txt": source} if source.is_file() else {}
        listing = root / "documents" / f"{pair}.docs"
        return replace(layout_of(str(root), paths, partial(located, paths)), doc_ids=(str(listing), read_docs(listing)))


def found_scores(
    root: Path, pair: str, references: Sequence[str], systems: Sequence[str], wanted: Sequence[str] = ("*",)
) -> tuple[tuple[ScoreFile, ...], tuple[str, ...]]:
    """Every metric in the folders of a test set, and notes on the holes.

    A column is called after its file: `COMET-22-refA` from metric-scores/, `human-mqm` from human-scores/. Taken are
    metrics of the `references` that are used, of the source alone (`src`) or of all. Where there are scores of systems
    and of segments, and the means of the segments are the systems' scores, the segments take part in every
    resampling; where they are not (BLEU), they are a column of their own, `NAME.seg`. A system without a score is
    a hole. Raises `InputError` naming file and line for what cannot be read.
    """
    paths = {p: p.name.removesuffix(".score") for p in sorted((root / "metric-scores" / pair).glob("*.score"))}
    judged = sorted((root / "human-scores").glob(f"{pair}.*.score"))
    paths |= {p: f"human-{p.name.removeprefix(f'{pair}.').removesuffix('.score')}" for p in judged}
    read: dict[str, dict[str, Path]] = {}
    for path, stem in paths.items():
        name, _, level = stem.rpartition(".")
        used = {*name.rpartition("-")[2].split(".")} <= {*references, "src", "all"} or name.startswith("human-")
        if level in ("seg", "sys") and used and any(fnmatchcase(name, pattern) for pattern in wanted):
            read.setdefault(name, {})[level] = path
    scores: list[ScoreFile] = []
    notes = []
    for name, levels in read.items():
        held = {level: _by_system(path, systems) for level, path in levels.items()}
        of_segments = {system: float(np.nanmean(values)) for system, values in held.get("seg", {}).items()}
        of_systems = {system: float(values[0]) for system, values in held.get("sys", {}).items()}
        alike = of_segments.keys() >= of_systems.keys() and all(
            abs(of_segments[system] - value) <= CLOSE * max(1.0, abs(value)) for system, value in of_systems.items()
        )
        if "seg" in levels:
            scores.append(_score_file(f"{name}{'' if alike else '.seg'}", levels["seg"], "mean"))
        if "sys" in levels and not ("seg" in levels and alike):
            scores.append(_score_file(name, levels["sys"], "system"))
        if lacking := [system for system in systems if system not in {**of_segments, **of_systems}]:
            notes.append(f"{name}: no score of {first_ten(lacking)}; its taus are over the others")
        part = sum(bool(np.isnan(values).any()) for values in held.get("seg", {}).values())
        if part:
            notes.append(f"{name}: {part} systems have segments without a score; their means are over the others")
    return tuple(scores), tuple(notes)


def _by_system(path: Path, systems: Sequence[str]) -> dict[str, Doubles]:
    """The scores of each of the systems that has any."""
    found = by_key(
        (row["system"], np.nan if row["score"].lower() in HOLES else finite(row["score"], path, line))
        for line, row in column_rows(path, ("system", "score"))
    )
    return {system: np.array(found[system]) for system in systems if np.isfinite(found.get(system, [])).any()}


def _score_file(name: str, path: Path, aggregate: str) -> ScoreFile:
    return ScoreFile(name, str(path), aggregate, columns=("system", "score"), missing="hole")


def text_files(folder: Path) -> list[Path]:
    """The .txt files of a folder, sorted; none where there is no such folder."""
    return sorted(path for path in folder.glob("*.txt") if path.suffix and path.is_file())


def read_docs(path: Path) -> list[str]:
    """The document of each line: `DOMAIN DOCNAME`, separated by white space; raises `InputError` naming the line."""
    doc_ids: list[str] = []
    for number, row in column_rows(path, ("DOMAIN", "DOCNAME")):
        check_doc_id(f"{path}: line {number}", row["DOCNAME"])
        doc_ids.append(row["DOCNAME"])
    return doc_ids


Key = tuple[str, str]
"""(doc_id, segment id): what aligns the sides of a release."""
Side = tuple[str, str]
"""What it is, one of FILES, and its name."""
Segments = Mapping[Key, str]
FILES = {"reference": "reference-{}.txt", "source": "source.txt", "system": "systems/{}.txt"}
"""What a side is called as a file in a layout."""


def corpus_of(
    where: str, sides: Mapping[Side, Segments], references: str | Sequence[str] = "first", collection: str = ""
) -> Corpus:
    """The corpus of sides by (document, segment); the source's order, else the first reference's, holds.

    Every segment is a line, in both the test set and the collection. A system or reference with missing segments is
    left out, with a note. Raises `InputError` where there is no segment, a document is interleaved with another, or no
    complete reference is left.
    """
    first = next((side for kind in ("source", "reference") for side in sides if side[0] == kind), None)
    keys = tuple(sides[first]) if first else ()
    if not keys:
        raise InputError(f"{where}: no segments with a source or a reference")
    for doc_id in dict.fromkeys(doc_id for doc_id, _ in keys):
        check_doc_id(where, doc_id)
    notes: list[str] = []
    held: dict[str, Text] = {}
    named: dict[str, dict[str, str]] = {kind: {} for kind in FILES}
    for (kind, name), segments in sorted(sides.items(), key=lambda item: item[0][0]):
        if lacking := [f"{doc_id} {number}" for doc_id, number in keys if (doc_id, number) not in segments]:
            missing = f"{len(lacking)} of {len(keys)} segments are missing: {first_ten(lacking)}"
            notes.append(f"{where}: {kind} {name} is left out, {missing}")
        else:
            file = named[kind][name] = FILES[kind].replace("{}", name)
            held[file] = TextLines(tuple(segments[key] for key in keys))
    if not named["reference"]:
        raise InputError(notes[0] if notes else f"{where}: no reference in it")
    singles = {file: file for file in named["source"].values()}
    files = (named["reference"], named["system"], singles)
    documents = (where, [doc_id for doc_id, _ in keys])
    layout = HeldLayout(where, partial(located, {}), *files, doc_ids=documents, held=held)
    corpus = read_corpus(layout, layout, references, collection)
    return replace(corpus, notes=(*corpus.notes, *notes))


def one_line(text: str) -> str:
    """A segment as one line: mark-up's line breaks and indents are white space, its ends are trimmed."""
    return " ".join(text.split(None)) if "\n" in text or "\r" in text else text.strip()
