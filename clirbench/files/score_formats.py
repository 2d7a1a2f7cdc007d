"""Scores that other programs wrote, recognised by what the file holds.

    one number (or None) a line                             BLEURT (score_files.py), GEMBA, and many others
    SYSTEM SCORE                                            mt-metrics-eval, metric-scores/ and human-scores/
    METRIC PAIR SET SYSTEM [SEGMENT] SCORE                  WMT metrics tasks of 2015-2019
    METRIC PAIR SET DOMAIN REFERENCE SYSTEM [SEGMENT] SCORE  the same since 2021
    FILE Segment 0 score: 0.8731                            what comet-score prints (comet/cli/score.py)
    {FILE: [{..., "COMET": 0.8731}, ...]}                   comet-score --to_json
    HASH P: 0.9 R: 0.9 F1: 0.9, then three numbers a line   bert-score --seg_level (bert_score_cli/score.py)
    {"prediction": 1.2, ...} a line                         MetricX (metricx24/predict.py), perhaps with system_id
    {"name": "BLEU", "score": 31.2, ...}, or a list of them sacrebleu -f json
    a header with a column of systems                       any TSV or CSV: each column of numbers is a metric

Every layout becomes rows: `score`, and `system`, `segment` and `metric` where the file has them. A system of
comet-score is the path FILE; `keys_by_file` says whose translation that is.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

from clirbench.errors import InputError, shorten
from clirbench.files import tables
from clirbench.files.tables import first_of, json_lines, json_value
from clirbench.text import TextFile, whole_content

Row = tuple[int, dict[str, str]]
"""The line of the file, and cells by name."""

SYSTEMS = ("system", "system_id", "sys", "system_name", "mt_system", "name")
SEGMENTS = ("segment", "segment_id", "seg", "seg_id", "line")
SCORES = ("prediction", "score")
HOLES = frozenset({"none", "nan", "null", "na", "n/a", ""})
"""Cells, in lower case, that say that there is no score."""
WMT_OLD = ("metric", "lang_pair", "test_set", "system")
WMT_NEW = ("metric", "lang_pair", "test_set", "domain", "reference", "system")
COMET = re.compile(r"(?P<file>[^\t]+)\t(?:Segment (?P<segment>\d+)\t)?score: (?P<score>\S+)(?:\tvariance: \S+)?")
BERTSCORE = re.compile(r"\S+ P: \S+ R: \S+ F1: \S+")


def score_rows(path: Path) -> Iterator[Row]:
    """The rows of a file of any layout above; raises `InputError`, naming the line, for what is none of them."""
    lines = TextFile(path).lines()
    head = next((line for line in lines if line.strip()), "").removeprefix("\ufeff")
    if not head:
        raise InputError(f"{path}: is empty; scores were expected")
    if head.lstrip().startswith(("{", "[")):
        return json_rows(path)
    if COMET.fullmatch(head.rstrip("\r")):
        return _comet(path, lines)
    if BERTSCORE.fullmatch(head.strip()):
        return _bert_score(path, lines)
    if is_score(head):
        return line_rows(path)
    if any(name.strip().lower() in SYSTEMS for name in re.split(r"[\t,]", head)):
        return _table(path)
    columns = _columns(split(head))
    if columns:
        return column_rows(path, columns)
    raise InputError(
        f"{path}: line 1: {shorten(head, 60)!r} begins no known file of scores: neither one number a line, nor "
        "SYSTEM SCORE, nor WMT's columns, JSON, or a header with a column system"
    )


def is_score(cell: str) -> bool:
    """Whether a cell is a number, or says that there is none."""
    return cell.strip().lower() in HOLES or tables.as_number(cell) is not None


def split(line: str) -> list[str]:
    """Cells, separated by tabs, or by blanks where there is no tab."""
    cells = line.rstrip("\r").split("\t") if "\t" in line else line.split()
    return [cell.strip() for cell in cells]


def _columns(cells: Sequence[str]) -> tuple[str, ...]:
    """The columns of a file without a header, by where the first numbers stand; none where it is no known file."""
    if len(cells) == 2 and is_score(cells[1]):
        return ("system", "score")
    for names in (WMT_OLD, WMT_NEW):
        rest = cells[len(names) :]
        if rest and is_score(rest[0]):
            numbered = len(rest) > 1 and rest[0].isdigit() and is_score(rest[1])
            return (*names, "segment", "score") if numbered else (*names, "score")
    return ()


def column_rows(path: Path, columns: Sequence[str]) -> Iterator[Row]:
    """Rows of the named columns; further cells are ignored. Raises `InputError` for a line with fewer cells."""
    for line, text in enumerate(TextFile(path).lines(), start=1):
        cells = split(text)
        if not any(cells):
            continue
        if len(cells) < len(columns):
            raise InputError(f"{path}: line {line}: {len(cells)} columns, {len(columns)} expected: {' '.join(columns)}")
        yield line, dict(zip(columns, cells, strict=False))


def line_rows(path: Path) -> Iterator[Row]:
    """One score a line; every line is a segment, so a blank one is an error."""
    for number, line in enumerate(TextFile(path).lines(), start=1):
        yield number, {"segment": str(number), "score": line.strip() or "(blank)"}


def _comet(path: Path, lines: Sequence[str]) -> Iterator[Row]:
    for number, line in enumerate(lines, start=1):
        found = COMET.fullmatch(line.rstrip("\r"))
        if found is None and line.strip() and not line.startswith("Predictions saved in: "):
            raise InputError(
                f"{path}: line {number}: {shorten(line, 60)!r}; what comet-score prints was expected: FILE, "
                "Segment N, score: X, separated by tabs"
            )
        if found and found["segment"] is not None:
            yield number, {"system": found["file"], "segment": found["segment"], "score": found["score"]}


def _bert_score(path: Path, lines: Sequence[str]) -> Iterator[Row]:
    if not any(line.strip() for line in lines[1:]):
        raise InputError(f"{path}: has the means alone; use bert-score --seg_level")
    for number, line in enumerate(lines[1:], start=2):
        cells = split(line)
        if len(cells) != 3:
            raise InputError(f"{path}: line {number}: {len(cells)} columns, 3 expected: precision, recall, F1")
        for metric, score in zip(("P", "R", "F1"), cells, strict=True):
            yield number, {"metric": metric, "segment": str(number - 1), "score": score}


def _table(path: Path) -> Iterator[Row]:
    """Rows of every column that holds numbers alone; the other columns are there to be chosen by."""
    table = tables.read_table(path)
    lower = {name.lower(): name for name in table.header}
    system = lower[next(name for name in SYSTEMS if name in lower)]
    segment = next((lower[name] for name in SEGMENTS if name in lower), None)
    others = [name for name in table.header if name not in (system, segment)]
    metrics = [name for name in others if all(map(is_score, table.column(name)))]
    if not metrics:
        raise InputError(f"{path}: beside {system} no column holds numbers alone: {', '.join(others) or 'no other'}")
    for number, record in zip(table.numbers, table.records(), strict=True):
        place = {"segment": record[segment]} if segment else {}
        texts = {name: record[name] for name in others if name not in metrics}
        for metric in metrics:
            yield number, {**texts, "system": record[system], "metric": metric, "score": record[metric], **place}


def json_rows(path: Path) -> Iterator[Row]:
    """sacreBLEU's JSON, COMET's, or JSON lines."""
    content: Any = None
    try:
        content = json_value(str(path), whole_content(path))
        numbered = [(1, record) for record in (content if isinstance(content, list) else [content])]
    except InputError:
        numbered = list(json_lines(path))
    if all(isinstance(r, dict) and {"name", "score"} <= r.keys() for _, r in numbered):
        return ((1, {"metric": str(r["name"]), "score": str(r["score"])}) for _, r in numbered)
    if isinstance(content, dict) and content and all(isinstance(entries, list) for entries in content.values()):
        return _comet_json(path, content)
    return _json_lines(path, numbered)


def _comet_json(path: Path, content: Mapping[str, list[Any]]) -> Iterator[Row]:
    for file, entries in content.items():
        for segment, entry in enumerate(entries):
            if not isinstance(entry, dict) or "COMET" not in entry:
                raise InputError(f"{path}: {file}, segment {segment}: no COMET; comet-score --to_json was expected")
            yield 1, {"system": file, "segment": str(segment), "score": str(entry["COMET"])}


def _json_lines(path: Path, records: Iterable[tuple[int, Any]]) -> Iterator[Row]:
    seen: Counter[str] = Counter()
    for number, record in records:
        score = first_of(record, SCORES, "") if isinstance(record, dict) else ""
        if isinstance(score, bool) or not isinstance(score, int | float | None):
            keys = f"; keys: {', '.join(record)}" if isinstance(record, dict) else ""
            raise InputError(f"{path}: line {number}: no number under {' or '.join(SCORES)}{keys}")
        named = str(first_of(record, SYSTEMS, ""))
        seen[named] += 1
        segment = str(first_of(record, SEGMENTS, seen[named]))
        yield number, {**({"system": named} if named else {}), "segment": segment, "score": str(score)}


def without_suffix(file: str | Path) -> str:
    """The path of a file of translations, without .txt and .gz."""
    return str(file).removesuffix(".gz").removesuffix(".txt")


def keys_by_file(files: Mapping[str, Path | None], keys: Collection[str]) -> dict[str, str]:
    """The key of each system that names its file: both end in the same folders and name, and no other pair of the two
    has more of them in common.

    files: the file of each system's translation, where it has one. keys: systems as a file of scores names them, such
    as the paths that comet-score writes.

    >>> keys_by_file({"run1-step5": Path("exp/run1/5.txt"), "b": None}, ["run1/5.txt", "run2/5.txt", "mt/b.txt"])
    {'run1-step5': 'run1/5.txt', 'b': 'mt/b.txt'}
    """
    names = [(key, Path(without_suffix(key)).parts) for key in keys]
    shared = {system: {key: _shared(system, file, parts) for key, parts in names} for system, file in files.items()}
    found = {}
    for system, by_key in shared.items():
        most = max(by_key.values(), default=0)
        best = [key for key, length in by_key.items() if most and length == most]
        if len(best) == 1 and all(other[best[0]] < most for name, other in shared.items() if name != system):
            found[system] = best[0]
    return found


def _shared(system: str, file: Path | None, parts: Sequence[str]) -> int:
    """How many folders and names, counted from the end, a path has in common with the file or the name of a system."""
    ours = [Path(without_suffix(file)).parts] if file else []
    pairs = (zip(reversed(one), reversed(parts), strict=False) for one in (*ours, (system,)))
    return max(sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], both)) for both in pairs)
