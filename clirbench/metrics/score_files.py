"""Scores made elsewhere, as a metric of ours: one score a line, WMT's and mt-metrics-eval's files, sacreBLEU's JSON."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from clirbench.checks import one_of
from clirbench.errors import ConfigError, InputError, shorten
from clirbench.files import score_tables as score_formats, tables
from clirbench.files.score_tables import HOLES, Row
from clirbench.metrics.base import Statistics
from clirbench.metrics.segments import AGGREGATES, MadeElsewhere, SegmentScores
from clirbench.text import Text
from clirbench.types import EMPTY, TestSet

SYSTEM, FILE = "{system}", "{file}"


@dataclass(frozen=True)
class ScoreFile(MadeElsewhere):
    """A metric whose scores are read from files.

    `path` is the file; where it contains `{system}`, or `{file}` (the path of the system's translation without .txt),
    one file a system. In one file for all, a system has its own name, its name in `rename`, or the path of its
    translation, of which the last part is enough that no other system has. Its layout is recognised by content (see
    `files/score_tables.py`), unless `columns` names its columns: system, score, and segment where there is one.
    `select` keeps the rows with these values (`{lang_pair: de-en}`); of a file with several metrics `{metric: NAME}`
    chooses one, by default the one that is called like this. `rename` maps our system names to the file's. `aggregate`
    is mean or median of segment scores, or system. `scale` multiplies every score. `missing=hole` lets a system
    without scores be a hole, and a segment without one be left out of its mean.

    Raises `ConfigError` for settings that make no sense, `InputError` naming file and line for what cannot be read,
    a score that is no finite number, a doubled or missing segment, a system without scores.

    **Source:** the README of the WMT metrics tasks; mt-metrics-eval's README, section "File organization and naming".
    """

    name: str
    path: str | None = None
    aggregate: str = "mean"
    higher_is_better: bool = True
    scale: float = 1.0
    columns: Sequence[str] | None = None
    select: Mapping[str, str] = field(default_factory=lambda: EMPTY, hash=False)
    rename: Mapping[str, str] = field(default_factory=lambda: EMPTY, hash=False)
    missing: str = "error"

    def __post_init__(self) -> None:
        one_of(f"{self.name}: aggregate", self.aggregate, AGGREGATES)
        one_of(f"{self.name}: missing", self.missing, ("error", "hole"))
        if not self.path:
            raise ConfigError(f"{self.name}: path is not set: name its file of scores, metric.{self.name}.path=FILE")
        if self.columns and not {"system", "score"} <= {*self.columns}:
            raise ConfigError(f"{self.name}: columns={list(self.columns)}: system and score must be among them")

    @property
    def is_pattern(self) -> bool:
        """Whether each system has a file of its own."""
        return SYSTEM in str(self.path) or FILE in str(self.path)

    @property
    def signature(self) -> str:
        chosen = "".join(f"|{column}:{value}" for column, value in sorted(self.select.items()))
        return f"{self.name}|file:{'+'.join(self.columns or ['auto'])}|{self.aggregate}|scale:{self.scale:g}{chosen}"

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Statistics:
        """Not for a text of unknown origin: use `for_systems`."""
        raise ConfigError(f"{self.name}: scores from files need the system's name, see for_systems")

    def for_systems(self, translations: Mapping[str, Text], test: TestSet) -> Mapping[str, SegmentScores]:
        """The scores of every system; raises `InputError` for one that has none, unless holes are allowed."""
        files = {system: text.files[0] if text.files else None for system, text in translations.items()}
        theirs = {system: self.rename.get(system, system) for system in translations}
        found = self._read(theirs, files)
        named = [name for name in found if name not in theirs.values()]
        theirs |= score_formats.keys_by_file({s: files[s] for s, name in theirs.items() if name not in found}, named)
        lost = [system for system, name in theirs.items() if name not in found]
        if lost and self.missing == "error":
            known = f"; it names {', '.join(named[:3])}; 'metric.{self.name}.rename={{{lost[0]}: NAME}}'"
            raise InputError(f"{self.name}: {self.path}: no scores for {', '.join(lost)}{known * bool(named)}")
        return {
            system: self._scores(system, found[name], len(test))
            for system, name in theirs.items()
            if name in found and not all(map(math.isnan, found[name]))
        }

    check = for_systems

    def _scores(self, system: str, scores: Sequence[float], n_segments: int) -> SegmentScores:
        expected = 1 if self.aggregate == "system" else n_segments
        if len(scores) != expected:
            said = f"{self.name}: {self.path}: {len(scores)} scores for {system}, {expected} expected"
            raise InputError(f"{said} (aggregate={self.aggregate}, {n_segments} segments)")
        return self.with_scores(scores)

    def _read(self, theirs: Mapping[str, str], files: Mapping[str, Path | None]) -> dict[str, list[float]]:
        """Scores by the file's system names."""
        path = str(self.path)
        if not self.is_pattern:
            return self._table(Path(path))
        found = {}
        for system, name in sorted(theirs.items()):
            file = Path(path.replace(SYSTEM, name).replace(FILE, score_formats.without_suffix(files[system] or system)))
            if file.is_file():
                found[name] = [score for scores in self._table(file, name).values() for score in scores]
        return found

    def _chosen(self, file: Path) -> Iterator[Row]:
        """The rows that `select` keeps, of one metric."""
        found = score_formats.column_rows(file, self.columns) if self.columns else score_formats.score_rows(file)
        rows = [(n, row) for n, row in found if all(row.get(c) == v for c, v in self.select.items())]
        named = list(dict.fromkeys(row["metric"] for _, row in rows if "metric" in row))
        only = self.name if self.name in named else named[0] if named else None
        if len(named) > 1 and only != self.name:
            raise InputError(f"{file}: holds {', '.join(named)}; choose one with select: {{metric: NAME}}")
        if not rows:
            wanted = ", ".join(f"{column}={value}" for column, value in self.select.items())
            raise InputError(f"{file}: holds no score" + (f" with {wanted}" if wanted else ""))
        return ((n, row) for n, row in rows if row.get("metric") == only)

    def _table(self, file: Path, system: str = "") -> dict[str, list[float]]:
        """Scores by system; `system` is that of a file that names none."""
        ordered: dict[str, dict[int, float]] = {}
        for line, row in self._chosen(file):
            if not (system or row.get("system")):
                raise InputError(f"{file}: names no systems: one file a system was expected, with {SYSTEM} in path")
            segments = ordered.setdefault(system or row["system"], {})
            segment = _whole(row["segment"], file, line) if "segment" in row else len(segments) + 1
            if segment in segments or ("segment" not in row and "lang_pair" in row and segments):
                cure = f"choose rows, such as 'metric.{self.name}.select={{lang_pair: de-en}}', or keep one of them"
                said = f"a second score for {row.get('system', system)}, segment {segment}; {cure}"
                raise InputError(f"{file}: line {line}: {said}")
            hole = self.missing == "hole" and row["score"].lower() in HOLES
            segments[segment] = math.nan if hole else number(row["score"], file, line)
        for name, segments in ordered.items():
            first = min(segments)
            if first not in (0, 1) or max(segments) - first + 1 != len(segments):
                gap = next(n for n in range(1, max(segments) + 1) if n not in segments)
                raise InputError(f"{file}: {name}: segment {gap} has no score")
        return {name: [segments[n] for n in sorted(segments)] for name, segments in ordered.items()}


def number(text: str, file: Path | str, line: int) -> float:
    """A finite number, or `InputError` naming file and line."""
    value = tables.as_number(text)
    if value is None:
        raise InputError(f"{file}: line {line}: {shorten(text, 60)!r} is not a number")
    if not abs(value) <= tables.LARGEST:
        raise InputError(f"{file}: line {line}: {text!r} is not a finite number")
    return value


def _whole(text: str, file: Path, line: int) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 18:
        raise InputError(f"{file}: line {line}: segment {shorten(text, 60)!r} is not a whole number")
    return int(text)
