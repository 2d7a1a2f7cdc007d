"""Scores of a whole output, of each segment, of groups of segments, and without each segment.

Published tables of scores: of two systems, of data-to-text systems judged by people, of single sentences.

**Source:** Gowda et al. 2021, Table 6 (supervised and unsupervised machine translation), Table 2 (WebNLG 2017) and
Table 1 (BLEURT prefers some words to others where BLEU and MacroF1 do not).
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from functools import cached_property
from math import isnan, nan
from typing import Any

import numpy as np

from clirbench.errors import AlignmentError, ConfigError
from clirbench.labs.papers.published import (
    Entry,
    PairTable,
    PaperCell,
    PublishedFiles,
    how_to_give,
    joined,
    known_of,
    leading,
    load_published,
    printed_cells,
)
from clirbench.labs.papers.taus import print_cell
from clirbench.metrics.base import Metric, Statistics
from clirbench.pages import Table, fixed
from clirbench.statistics.coefficients import Coefficient, kendall
from clirbench.text import TextFile
from clirbench.types import Doubles, TestSet


def corpus_score(metric: Metric, statistics: Statistics) -> float:
    """The score of all segments together."""
    return float(metric.score(np.asarray(statistics.sum(axis=0), dtype=np.float64).reshape(-1)))


def text_score(metric: Metric, hypotheses: Sequence[str], test: TestSet) -> float:
    """The score of a whole output."""
    return corpus_score(metric, metric.statistics(hypotheses, test))


def row_scores(metric: Metric, rows: Statistics, base: Doubles | float = 0.0) -> Doubles:
    """(rows,): the score of every row, added to `base`; sparse rows are made dense some at a time."""
    if isinstance(rows, np.ndarray):
        return np.asarray(metric.score(base + rows))
    held = rows.tocsr()
    return np.concatenate([metric.score(base + held[at : at + 64].toarray()) for at in range(0, held.shape[0], 64)])


def left_out_scores(metric: Metric, statistics: Statistics) -> Doubles:
    """Scores without each segment in turn: (segments,). **Source:** Quenouille 1956 (the jackknife)."""
    return row_scores(metric, -1.0 * statistics, np.asarray(statistics.sum(axis=0), dtype=np.float64).reshape(-1))


def segment_scores(metric: Metric, statistics: Statistics) -> Doubles:
    """(segments,): the metric of every segment alone; BLEU with effective order, as one wants for sentences."""
    return row_scores(with_setting(metric, effective_order=True), statistics)


def with_setting(metric: Metric, **setting: Any) -> Metric:
    """The metric with this setting, where it has it."""
    known = {field.name for field in fields(metric)}  # type: ignore[arg-type]
    return replace(metric, **setting) if known >= {*setting} else metric  # type: ignore[type-var]


def group_scores(metric: Metric, statistics: Statistics, membership: Doubles) -> Doubles:
    """(groups,): the metric of groups of segments, from their summed statistics; NaN for a group of none."""
    from scipy.sparse import csr_array

    sums: Any = csr_array(membership) @ statistics
    return np.where(membership.sum(axis=1) == 0, np.nan, row_scores(metric, sums))


MEASURES = ("SN", "UN", "difference")
NO_MODEL = "no model here scores segments as BLEURT does"
NO_SCORES = "no scores"
WEBNLG, HUMAN = "WebNLG", ("fluency", "grammar", "semantics")
JUDGED, RECORDS = "all_data_final_averaged.csv", "MRs.txt"
CANDIDATES, REFERENCES, SCORES = "cands.txt", "refs.txt", "bleurt-base.scores.txt"


@dataclass(frozen=True, kw_only=True)
class ScoreTable(PairTable):
    """Scores of two systems by language pair, computed from their texts, beside the printed ones.

    metrics: column to metric; imported: a shipped table of scores that are not computed here (columns `group`,
    `system`). `digits` of computed scores; imported ones have three, their differences two.
    explained: {row, measure, metric, ours, note}.
    """

    printed: str
    metrics: Mapping[str, Metric]
    imported: str = ""
    digits: int = 1
    explained: Sequence[Entry] = ()

    def cells(self) -> Iterator[PaperCell]:
        """Every printed cell, computed again where the texts are available."""
        printed = printed_cells(self.printed)
        labels = list(dict.fromkeys(label for label, _ in printed))
        records = load_published(self.imported).records() if self.imported else ()
        imported = {(record["group"], record["system"]): record for record in records}
        for label in labels:
            read = self.read_pair(label, labels)
            for metric in printed[label, "SN"]:
                there = [printed[label, measure][metric] for measure in MEASURES]
                scores = [float(imported.get((label, system), {}).get(metric, nan)) for system in self.pair]
                shown, notes = [""] * 3, [""] * 3
                if read is not None and metric in self.metrics:
                    scores = [text_score(self.metrics[metric], lines, read[0]) for lines in read[1]]
                    first, second = (fixed(score, self.digits) for score in scores)
                    shown = [first, second, str(Decimal(first) - Decimal(second))]
                elif not any(map(isnan, scores)):
                    shown = [*map(leading, scores), leading(scores[0] - scores[1], 2)]
                    notes = ["scores as published, not computed"] * 3
                else:
                    scores, why = [nan, nan], how_to_give(label) if metric in self.metrics else NO_MODEL
                    notes = [why, why, joined(misprint(*map(Decimal, there)), why)]
                values = (*scores, scores[0] - scores[1])
                for measure, theirs, ours, value, note in zip(MEASURES, there, shown, values, notes, strict=True):
                    known = known_of(self.explained, row=label, measure=measure, metric=metric)
                    yield PaperCell(label, measure, metric, theirs, ours, value, note=note, known=known)


def misprint(first: Decimal, second: Decimal, difference: Decimal) -> str:
    """What is wrong with a printed difference by the printed scores; nothing where both fit."""
    last_digit = Decimal(1).scaleb(int(difference.as_tuple().exponent))
    return f"the printed scores differ by {first - second}" if abs(first - second - difference) > last_digit else ""


@dataclass(frozen=True, kw_only=True)
class WebNLG(PublishedFiles):
    """Kendall's tau of metrics with people's judgments of fluency, grammar and semantics, over the systems.

    `references`: which files are references (the paper's numbers come from the first alone); `exclude`: outputs that
    are no system's (`webnlg` are the references themselves). `explained`: {metric, measure, ours, note}, a difference
    that is understood.
    """

    printed: str
    metrics: Mapping[str, Metric]
    references: Sequence[str] = ("gold-sample-reference0.lex",)
    exclude: Sequence[str] = ("webnlg",)
    explained: Sequence[Entry] = ()
    alpha: float = 0.05

    def cells(self) -> Iterator[PaperCell]:
        """The tau of each metric with each judgment; printed metrics first, then those that were not printed."""
        printed = printed_cells(self.printed)
        _, people, scores = self._judged
        for kind in HUMAN:
            row = printed[WEBNLG, kind]
            for metric in dict.fromkeys((*row, *scores)):
                found, shown = Coefficient(nan, nan, 0, NO_SCORES), ""
                if metric in scores:
                    found = kendall(scores[metric], people[kind], p_value="scipy")
                    shown = print_cell(found.value, found.p_value, self.alpha, absolute=False)
                known = known_of(self.explained, metric=metric, measure=kind)
                cell = (row.get(metric, ""), shown, found.value, found.p_value, found.n, found.note, known)
                yield PaperCell(WEBNLG, kind, metric, *cell)

    def further(self) -> Sequence[Table]:
        """The judgments and scores behind the table."""
        systems, people, scores = self._judged
        columns = {**people, **scores}
        rows = tuple(zip(systems, *(column.tolist() for column in columns.values()), strict=True))
        return [Table(f"{self.name}_scores", "WebNLG 2017: judgments and scores", ("system", *columns), rows)]

    @cached_property
    def _judged(self) -> tuple[Sequence[str], Mapping[str, Doubles], Mapping[str, Doubles]]:
        """The systems, people's mean judgments of each by kind, and its scores by metric.

        Raises `AlignmentError` where a system has no output for a record.
        """
        paths = self.locate(JUDGED, RECORDS, *self.references)
        records = TextFile(paths[RECORDS]).lines()
        references = tuple(TextFile(paths[name]).lines() for name in self.references)
        for name, lines in zip(self.references, references, strict=True):
            if len(lines) != len(records):
                raise AlignmentError(f"{paths[name]}: {len(lines)} lines, {paths[RECORDS]} has {len(records)}")
        judgments = csv.DictReader(TextFile(paths[JUDGED]).lines())
        rows: dict[tuple[str, str], dict[str, str]] = {(row["team"], row["mr"]): row for row in judgments}
        systems = sorted({team for team, _ in rows} - set(self.exclude))
        if len(systems) < 2:
            raise ConfigError(f"paper.exclude={list(self.exclude)}: fewer than two systems are left")
        if missing := [(team, mr) for team in systems for mr in records if (team, mr) not in rows]:
            raise AlignmentError(f"{paths[JUDGED]}: {missing[0][0]} has no output for the record {missing[0][1]!r}")
        held = {team: [rows[team, mr] for mr in records] for team in systems}
        people = {
            kind: np.array([np.mean([float(row[kind]) for row in held[team]]) for team in systems]) for kind in HUMAN
        }
        outputs, test = {team: [row["text"] for row in held[team]] for team in systems}, TestSet(references)
        computed = {
            name: np.array([text_score(metric, outputs[team], test) for team in systems])
            for name, metric in self.metrics.items()
        }
        return systems, people, computed


@dataclass(frozen=True, kw_only=True)
class OneWord(PublishedFiles):
    """The printed BLEURT scores beside the published score file, and every metric's score of each sentence alone.

    The sentences differ from their reference in one word. The paper's claim is that a model-free metric scores all
    the wrong words of one sentence alike.
    """

    printed: str
    metrics: Mapping[str, Metric]

    def cells(self) -> Iterator[PaperCell]:
        """The score of each printed word."""
        candidates, _, scores = self._read
        found = {line.split(" ")[0]: score for line, score in zip(candidates, scores, strict=True)}
        for record in load_published(self.printed).records():
            word, printed = record["word"], leading(float(record["BLEURT"]))
            value = found.get(word, nan)
            note = "from the published score file; BLEURT is not run"
            if word not in found:
                note = "this word is not in the published score file, which has Joel and Lexi among the names"
            shown = leading(value) if word in found else ""
            yield PaperCell(word, "score", "BLEURT", printed=printed, shown=shown, value=value, note=note)

    def further(self) -> Sequence[Table]:
        """What each metric gives every sentence."""
        candidates, references, bleurt = self._read
        scores: dict[str, Sequence[float]] = {"BLEURT": bleurt}
        for name, metric in self.metrics.items():
            statistics = metric.statistics(candidates, TestSet((references,)))
            scores[name] = segment_scores(metric, statistics).tolist()
        rows = tuple(zip(references, candidates, *scores.values(), strict=True))
        header, n = ("reference", "candidate", *scores), len(rows)
        return [Table(f"{self.name}_scores", "Each sentence scored alone", header, rows, shown=n, said=n)]

    @cached_property
    def _read(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[float, ...]]:
        """The candidates, their references and their published BLEURT scores."""
        paths = self.locate(CANDIDATES, REFERENCES, SCORES)
        candidates, references, scores = (TextFile(paths[name]).lines() for name in (CANDIDATES, REFERENCES, SCORES))
        if not len(candidates) == len(references) == len(scores):
            raise AlignmentError(f"{paths[CANDIDATES]}, {REFERENCES}, {SCORES}: different numbers of lines")
        return candidates, references, tuple(map(float, scores))
