"""Scores made elsewhere, as a metric of ours: one score a line, WMT's and mt-metrics-eval's files, sacreBLEU's JSON."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from clirbench.checks import check_choice
from clirbench.corpora.jsonl import refuse_depth
from clirbench.errors import ConfigError, InputError, shortened
from clirbench.files import tables
from clirbench.metrics.segments import AGGREGATES, MadeElsewhere, SegmentScores
from clirbench.text import Text, TextFile, whole_text
from clirbench.types import EMPTY, TestSet

if TYPE_CHECKING:
    from clirbench.metrics.base import Statistics

SYSTEM = "{system}"
LAYOUTS: dict[str, tuple[str, ...]] = {
    "mt-metrics-eval": ("system", "score"),
    "wmt15-seg": ("metric", "lang_pair", "test_set", "system", "segment", "score"),
    "wmt15-sys": ("metric", "lang_pair", "test_set", "system", "score"),
    "wmt21-seg": ("metric", "lang_pair", "test_set", "domain", "reference", "system", "segment", "score"),
    "wmt21-sys": ("metric", "lang_pair", "test_set", "domain", "reference", "system", "score"),
}
"""Columns of files that hold several systems; further columns (ensemble, available) are ignored."""
FORMATS = ("lines", "sacrebleu", "table", *LAYOUTS)


@dataclass(frozen=True)
class ScoreFile(MadeElsewhere):
    """A metric whose scores lie in files.

    `path` is the file; where it contains `{system}`, one file a system. `format`:
    lines            one score a line, `{system}` in the path;
    sacrebleu        JSON as `sacrebleu -f json` prints it, `{system}` in the path; `select: {metric: BLEU}` where
                     it holds several;
    mt-metrics-eval  SYSTEM SCORE, the segments of each system in order (NAME.seg.score), or one row (NAME.sys.score);
    wmt15-seg/-sys   metrics task of 2015-2019: METRIC LANG-PAIR TEST-SET SYSTEM [SEGMENT] SCORE, segments from 1;
    wmt21-seg/-sys   metrics task since 2021: METRIC LANG-PAIR TEST-SET DOMAIN REFERENCE SYSTEM [SEGMENT] SCORE.
    table            the columns that `columns` names, among them system and score, and segment where there is one.
    `select` keeps the rows with these values
    (`{lang_pair: de-en}`). `rename` maps our system names to the file's. `aggregate` is mean or median of segment
    scores, or system. `scale` multiplies every score. `missing=hole` lets a system without scores be a hole.

    Raises `ConfigError` for settings that make no sense, `InputError` naming file and line for what cannot be read,
    a score that is no finite number, a doubled or missing segment, a system without scores.

    **Source:** the README of the WMT metrics tasks; mt-metrics-eval's README, section "File organization and naming".
    """

    name: str
    path: str | None = None
    format: str = "lines"
    aggregate: str = "mean"
    higher_is_better: bool = True
    scale: float = 1.0
    columns: Sequence[str] | None = None
    select: Mapping[str, str] = field(default_factory=lambda: EMPTY, hash=False)
    rename: Mapping[str, str] = field(default_factory=lambda: EMPTY, hash=False)
    missing: str = "error"

    def __post_init__(self) -> None:
        check_choice(self.name, "format", self.format, FORMATS)
        check_choice(self.name, "aggregate", self.aggregate, AGGREGATES)
        check_choice(self.name, "missing", self.missing, ("error", "hole"))
        if not self.path:
            raise ConfigError(f"{self.name}: path is not set: name its score file, metric.{self.name}.path=FILE")
        if self.format in ("lines", "sacrebleu") and SYSTEM not in self.path:
            raise ConfigError(f"{self.name}: format={self.format} has one file a system: path needs {SYSTEM} in it")
        if (self.format == "table") != bool(self.columns) or (
            self.columns and not {"system", "score"} <= {*self.columns}
        ):
            raise ConfigError(
                f"{self.name}: columns goes with format=table and names system, score and what else there is"
            )
        if unknown := sorted(set(self.select) - {*self.layout, "metric"}):
            raise ConfigError(f"{self.name}: select names no column: {', '.join(unknown)}")

    @property
    def layout(self) -> tuple[str, ...]:
        return tuple(self.columns) if self.columns else LAYOUTS.get(self.format, ())

    @property
    def signature(self) -> str:
        chosen = "".join(f"|{column}:{value}" for column, value in sorted(self.select.items()))
        return f"{self.name}|file:{self.format}|{self.aggregate}|scale:{self.scale:g}{chosen}"

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> "Statistics":
        """Not for a text of unknown origin: use `for_systems`."""
        raise ConfigError(f"{self.name}: scores from files need the system's name, see for_systems")

    def for_systems(self, translations: Mapping[str, Text], test: TestSet) -> Mapping[str, SegmentScores]:
        """The scores of every system; raises `InputError` for one that has none, unless holes are allowed."""
        theirs = {system: self.rename.get(system, system) for system in translations}
        found = self._read(set(theirs.values()))
        lost = [system for system, name in theirs.items() if name not in found]
        if lost and self.missing == "error":
            close = get_close_matches(theirs[lost[0]], found, n=1)
            hint = (
                f"; did you mean {close[0]!r} for {lost[0]!r}? (rename maps our names to the file's)" if close else ""
            )
            raise InputError(f"{self.name}: {self.path}: no scores for {', '.join(lost)}{hint}")
        return {
            system: self._scores(system, found[name], len(test)) for system, name in theirs.items() if name in found
        }

    def _scores(self, system: str, scores: Sequence[float], n_segments: int) -> SegmentScores:
        expected = 1 if self.aggregate == "system" else n_segments
        if len(scores) != expected:
            raise InputError(
                f"{self.name}: {self.path}: {len(scores)} scores for {system}, {expected} expected "
                f"(aggregate={self.aggregate}, {n_segments} segments)"
            )
        return self.with_scores(scores)

    def _read(self, names: Iterable[str]) -> dict[str, list[float]]:
        """Scores by the file's system names."""
        path = str(self.path)
        if SYSTEM not in path:
            return self._table(Path(path))
        found: dict[str, list[float]] = {}
        for name in sorted(names):
            file = Path(path.replace(SYSTEM, name))
            if not file.is_file():
                continue
            if self.format == "lines":
                found[name] = [number(text, file, line) for line, text in enumerate(TextFile(file).lines(), start=1)]
            elif self.format == "sacrebleu":
                found[name] = [sacrebleu_score(file, self.select.get("metric"))]
            else:
                found[name] = [score for scores in self._table(file).values() for score in scores]
        return found

    def _table(self, file: Path) -> dict[str, list[float]]:
        ordered: dict[str, dict[int, float]] = {}
        for line, row in table_rows(file, self.layout):
            if any(row[column] != value for column, value in self.select.items()):
                continue
            segments = ordered.setdefault(row["system"], {})
            segment = _whole(row["segment"], file, line) if "segment" in row else len(segments) + 1
            if segment in segments or ("segment" not in row and "metric" in row and segments):
                raise InputError(
                    f"{file}: line {line}: a second score for {row['system']}"
                    f"{f', segment {segment}' if 'segment' in row else ''}; "
                    f"choose rows with select, e.g. metric.{self.name}.select={{lang_pair: de-en}}"
                )
            segments[segment] = number(row["score"], file, line)
        for system, segments in ordered.items():
            first = min(segments)
            if first not in (0, 1) or max(segments) - first + 1 != len(segments):
                gap = next(n for n in range(1, max(segments) + 1) if n not in segments)
                raise InputError(f"{file}: {system}: segment {gap} has no score")
        return {system: [segments[n] for n in sorted(segments)] for system, segments in ordered.items()}


def table_rows(file: Path, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Line number and cells of every row that is not empty: separated by tabs, or by blanks where there is no tab."""
    for line, text in enumerate(TextFile(file).lines(), start=1):
        cells = text.rstrip("\r").split("\t") if "\t" in text else text.split()
        if not cells:
            continue
        if len(cells) < len(columns):
            raise InputError(f"{file}: line {line}: {len(cells)} columns, {len(columns)} expected: {' '.join(columns)}")
        yield line, dict(zip(columns, (cell.strip() for cell in cells), strict=False))


def sacrebleu_score(file: Path, metric: str | None) -> float:
    """The full score in sacreBLEU's JSON: that of `metric` where it holds several."""
    try:
        text = whole_text(file)
        refuse_depth(str(file), text.encode())
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file}: not JSON ({error}); use sacrebleu -f json") from None
    entries = content if isinstance(content, list) else [content]
    named = {str(e.get("name")): e.get("score") for e in entries if isinstance(e, dict)}
    if metric is None and len(named) == 1:
        metric = next(iter(named))
    if metric not in named:
        raise InputError(f"{file}: holds {', '.join(named) or 'no score'}; choose one with select: {{metric: NAME}}")
    return number(str(named[metric]), file, 1)


def number(text: str, file: Path | str, line: int) -> float:
    """A finite number, or `InputError` naming file and line."""
    value = tables.number(text)
    if value is None:
        raise InputError(f"{file}: line {line}: {shortened(text, 60)!r} is not a number")
    if not abs(value) <= tables.LARGEST:
        raise InputError(f"{file}: line {line}: {text!r} is not a finite number")
    return value


def _whole(text: str, file: Path, line: int) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 18:
        raise InputError(f"{file}: line {line}: segment {shortened(text, 60)!r} is not a whole number")
    return int(text)
