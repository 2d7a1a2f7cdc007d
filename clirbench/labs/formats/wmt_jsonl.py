"""The JSON lines of WMT's general task since 2025, all language pairs together. A folder (or its folder `data/`) holds

    wmtNN-genmt.jsonl                {"doc_id", "src_text", "refs": {NAME: text or {"ref": text}}, ...}
    systems/NAME.jsonl               {"doc_id", "hypothesis", ...}
    automatic_scores/NAME.jsonl      {"language_pair", "domain", "document_id", "metric_scores": {METRIC: [score, ...]}}

or one file of the human evaluation, whose lines have the translations in `tgt_text`: {NAME: text}.

A `doc_id` is `PAIR_#_DOMAIN_#_DOCUMENT` (2025, a pair such as `en-is_IS`) or, in 2026,
`SET_###_DOMAIN_###_SOURCE_###_TARGET_###_DOCUMENT` (the pair `eng_Latn-sme_Latn`). A translation need not have as many
paragraphs as its source, so a document is a line.

**Source:** the README and files of the repositories wmt25-general-mt and wmt26-general-mt of the conference.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

from clirbench.corpora.base import Corpus
from clirbench.corpora.sides import SideTexts, first_ten, side_texts
from clirbench.errors import ConfigError, InputError, UnknownName
from clirbench.files.tables import json_lines
from clirbench.labs.formats.mtme import Key, Side, corpus_of, one_line
from clirbench.metrics.base import Statistics
from clirbench.metrics.segments import MadeElsewhere, SegmentScores
from clirbench.text import Text
from clirbench.types import TestSet

Numbers = tuple[float, ...]


@dataclass(frozen=True)
class WmtJsonlCorpus:
    """One language pair of a release as test set and collection; its systems take part by `systems=files`.

    `folder` is the release, its `data` or one file of it. `pair` is as ids have it (`en-is_IS`); None: the only one.
    `references` is `first`, `all` or names as `refs` has them. `scores` are glob patterns of the automatic scores that
    take part: higher is better (MetricX is released negated); a document's score is the mean of its paragraphs'. `read`
    raises `InputError` naming file and line, `UnknownName` for a pair that is not there.
    """

    folder: str | Path
    pair: str | None = None
    references: str | Sequence[str] = "first"
    collection: str = ""
    scores: Sequence[str] = ("*",)

    def read(self) -> Corpus:
        root, file = self._place()
        pair, sides = self._sides(root, file)
        corpus = corpus_of(f"{file} ({pair})", sides, self.references, self.collection)
        found, notes = self._scores(root / "automatic_scores", corpus.document_map.doc_ids, corpus)
        return replace(corpus, scores=found, notes=(*corpus.notes, *notes))

    def side_texts(self) -> SideTexts:
        """What tells the languages."""
        layout = replace(self, scores=()).read().collection_layout
        assert layout is not None
        return side_texts(layout, layout, self.references)

    def _place(self) -> tuple[Path, Path]:
        """The folder that has `systems/`, and the file of the test set."""
        given = Path(self.folder)
        if given.is_file():
            return given.parent, given
        root = given / "data" if (given / "data").is_dir() else given
        files = [path for path in sorted(root.glob("*genmt*.jsonl")) if "humeval" not in path.name]
        if len(files) != 1:
            found = f"{len(files)} files" if files else "no file"
            raise InputError(f"{root}: {found} *genmt*.jsonl in it; name the file of the test set: folder=FILE")
        return root, files[0]

    def _sides(self, root: Path, file: Path) -> tuple[str, Mapping[Side, Mapping[Key, str]]]:
        pairs: dict[str, dict[Side, dict[Key, str]]] = {}
        wanted = self.pair
        for where, doc_id, record in _documents(file):
            sides = pairs.setdefault(pair_of(doc_id), {})
            texts: dict[Side, object] = {("source", "source"): record["src_text"]} if "src_text" in record else {}
            texts |= {("reference", name): text for name, text in _named(where, record, "refs").items()}
            texts |= {("system", name): text for name, text in _named(where, record, "tgt_text").items()}
            for side, text in texts.items():
                if (line := one_line(_text(where, side, text))) or side[0] == "system":
                    sides.setdefault(side, {})[doc_id, "1"] = line
        if wanted is None and len(pairs) != 1:
            raise ConfigError(f"corpus.pair is not set; {file} has {', '.join(sorted(pairs)) or 'no document'}")
        pair = wanted or next(iter(pairs))
        if pair not in pairs:
            raise UnknownName(f"corpus.pair of {file}", pair, pairs)
        for path in sorted((root / "systems").glob("*.jsonl")):
            for where, doc_id, record in _documents(path):
                if pair_of(doc_id) == pair:
                    side = ("system", path.stem)
                    held = pairs[pair].setdefault(side, {})
                    held[doc_id, "1"] = one_line(_text(where, side, record.get("hypothesis")))
        return pair, pairs[pair]

    def _scores(
        self, folder: Path, doc_ids: Sequence[str], corpus: Corpus
    ) -> tuple[tuple["DocumentScores", ...], list[str]]:
        """Each metric of the files of the systems that take part, and notes on the holes."""
        systems = corpus.collection_layout.systems if corpus.collection_layout else {}
        held: dict[str, dict[str, Numbers]] = {}
        for path in (folder / f"{system}.jsonl" for system in systems):
            of_documents = dict(_means(path)) if path.is_file() else {}
            for metric in dict.fromkeys(name for doc_id in doc_ids for name in of_documents.get(doc_id, {})):
                if any(fnmatchcase(metric, pattern) for pattern in self.scores):
                    numbers = tuple(of_documents.get(doc_id, {}).get(metric, np.nan) for doc_id in doc_ids)
                    held.setdefault(metric, {})[path.stem] = numbers
        notes = []
        for metric, of in held.items():
            if lacking := [system for system in systems if system not in of]:
                notes.append(f"{metric}: no score of {first_ten(lacking)}; its taus are over the others")
        return tuple(DocumentScores(metric, of) for metric, of in held.items()), notes


@dataclass(frozen=True, eq=False)
class DocumentScores(MadeElsewhere):
    """A released metric: `of` has the score of each line for each system that has any."""

    name: str
    of: Mapping[str, Numbers]
    aggregate: str = "mean"
    higher_is_better: bool = True
    scale: float = 1.0

    @property
    def signature(self) -> str:
        return f"{self.name}|file:wmt_jsonl|mean"

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Statistics:
        """Not for a text of unknown origin: use `for_systems`."""
        raise InputError(f"{self.name}: released scores need the system's name, see for_systems")

    def for_systems(self, translations: Mapping[str, Text], test: TestSet) -> Mapping[str, SegmentScores]:
        """The scores of every system that has some; the others stay holes."""
        return {system: self.with_scores(self.of[system]) for system in translations if system in self.of}


def pair_of(doc_id: str) -> str:
    """The language pair in an id; the id itself where it has none."""
    if len(parts := doc_id.split("_###_")) == 5:
        return f"{parts[2]}-{parts[3]}"
    return doc_id.split("_#_")[0]


def _documents(path: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(place, doc_id, object) of each line."""
    for number, record in json_lines(path):
        where = f"{path}: line {number}"
        yield where, _text(where, ("key", "doc_id"), record.get("doc_id")), record


def _text(where: str, side: Side, text: object) -> str:
    value = text.get("ref") if isinstance(text, dict) else text
    if not isinstance(value, str):
        raise InputError(f"{where}: {' '.join(side)}: a text was expected, found {type(value).__name__}")
    return value


def _named(where: str, record: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = record.get(key) or {}
    if not isinstance(value, dict):
        raise InputError(f"{where}: {key}: an object of names and texts was expected, found {type(value).__name__}")
    return value


def _means(path: Path) -> Iterator[tuple[str, dict[str, float]]]:
    """(doc_id, mean of the paragraphs' scores by metric) of each line."""
    for number, record in json_lines(path):
        where = f"{path}: line {number}"
        parts = [_text(where, ("key", key), record.get(key)) for key in ("language_pair", "domain", "document_id")]
        lists = {name: values for name, values in _named(where, record, "metric_scores").items() if values}
        for name, values in lists.items():
            if not isinstance(values, list) or not all(type(value) in (int, float) for value in values):
                raise InputError(f"{where}: metric_scores of {name}: a list of numbers was expected")
        yield "_#_".join(parts), {name: float(np.mean(values)) for name, values in lists.items()}
