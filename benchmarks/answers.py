"""What runs answer, and whether a setting turns it round: docs/data/{answers,settings}.tsv and the page of both.

    python -m benchmarks.answers ../shared/data [--keep DIR] [--only wmt22]     # docs/data/answers.tsv
    python -m benchmarks.answers ../shared/data --settings [--keep DIR]         # docs/data/settings.tsv
    python -m benchmarks.answers                                                # docs/explanation/answers.md from both

answers.tsv has a line for each run and metric: the primary measure, tau between groups, interval, p and grade, and the
first sentence; of the named experiments and every WMT folder with at least five systems.

settings.tsv has ten set-ups of some folders: k of 3, 10 and 100, with one metric and with eight; then with eight, each
alone: a covariate that orders the systems as retrieval does, a score whose tau is 1, a near-copy of a system, a copy of
the reference. Three set-ups of every other folder: k of 3 with one metric, 10 and 100 with five. Of every folder, with
five metrics: another seed, other references, one system left out, two other kinds of topics. Folders and set-ups were
fixed before the first result. Asked: at most .01 of the grades move by two steps.
"""

import argparse
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import nan
from pathlib import Path
from typing import Any

import clirbench as cb
from benchmarks.folders import METRICS, label, wmt
from benchmarks.tables import DOCS, read_rows, write, write_rows
from clirbench.statistics.grades import GRADES
from clirbench.text import TextFile

ANSWERS, SETTINGS, PAGE = DOCS / "data/answers.tsv", DOCS / "data/settings.tsv", DOCS / "explanation/answers.md"
SINCE = DOCS / "data/since-version-3.tsv"
FOLDERS = ("wmt22/de-en", "wmt21/ha-en", "wmt22/en-cs", "wmt23/de-en", "wmt23/zh-en", "wmt21/en-ru")
EIGHT = ("BLEU", "chrF1", "chrF2", "chrF3", "chrFpp", "MacroF1", "MicroF1", "TER")
FEWEST = 5
STEPS = {"strong": 3, "moderate": 2, "weak": 1, "contradicted": -1}
"""Grades that show nothing (open, little, too noisy to tell) are 0."""
VARIED = {"seed": "seed", "reference": "reference", "without": "one system left out", "topics": "kind of topics"}
"""What the names of set-ups with other data begin with."""
ALIKE = ("run", "measure", "metric", "systems", "groups", "tau", "grade", "lowered", "first_sentence")
COLUMNS = {ANSWERS: (*ALIKE, "low", "high", "p_value"), SETTINGS: (*ALIKE, "setup", "recommended", "tied")}


@dataclass(frozen=True)
class Row:
    """One metric in one run, or in one set-up of a folder; `recommended` and `tied`: systems, separated by a space."""

    run: str
    setup: str = ""
    measure: str = ""
    metric: str = ""
    systems: int = 0
    groups: int = 0
    tau: float = nan
    grade: str = ""
    lowered: str = ""
    recommended: str = ""
    tied: str = ""
    first_sentence: str = ""
    low: float = nan
    high: float = nan
    p_value: float = nan


@dataclass(frozen=True)
class Change:
    """A metric's grade in a run by version three (commit 80e00950) and by this one."""

    run: str
    metric: str
    version_3: str
    now: str = ""


def runs(data: Path) -> Iterator[tuple[str, str, dict[str, object]]]:
    """(name, experiment, settings) of every run."""
    yield "demo", "demo", {}
    yield "europarl_csen_published", "europarl_csen_published", {}
    for name in ("europarl_csen", "wmt21_deen"):
        yield name, name, {"paths__mirror": str(data)}
    for folder in map(label, wmt(FEWEST, data)):
        yield folder, "folder", {"folder": str(data / folder), "metric": list(METRICS)}


def copied(folder: Path, place: Path) -> Path:
    """A copy of a folder that may be added to."""
    shutil.copytree(folder, place, ignore=shutil.ignore_patterns("human*", "official*"))
    for made in (place, place / "systems"):
        made.chmod(0o755)
    return place


def mixed(ours: Path, theirs: Path, every: int) -> str:
    """Text of `ours`, each line whose number `every` divides from `theirs`."""
    lines = zip(TextFile(ours).lines(), TextFile(theirs).lines(), strict=True)
    return "".join(f"{b if i % every == 0 else a}\n" for i, (a, b) in enumerate(lines, 1))


def changed(folder: Path, base: cb.Outcome, place: Path) -> Iterator[tuple[str, Path]]:
    """(set-up, folder) of the four that add something."""
    values = base.systems[base.results["measure"]].sort_values()
    covariate = copied(folder, place / "covariate")
    table = "".join(f"{name}\t{1000 * (1 + i // 2)}\n" for i, name in enumerate(values.index))
    (covariate / "systems.tsv").write_text(f"system\ttraining_lines\n{table}", encoding="utf-8")
    yield "covariate", covariate
    scored = copied(folder, place / "scored")
    table = "".join(f"{name}\t{value!r}\n" for name, value in values.items())
    (scored / "scores.tsv").write_text(f"system\toracle\n{table}", encoding="utf-8")
    yield "a tau of 1", scored
    first, second, *_ = sorted((folder / "systems").glob("*.txt*"))
    near = copied(folder, place / "near")
    (near / "systems" / "near-copy.txt").write_text(mixed(first, second, 25), encoding="utf-8")
    yield "a near-copy", near
    human = copied(folder, place / "human")
    reference = sorted(folder.glob("reference*"))[0]
    (human / "systems" / "translation.txt").write_text(mixed(reference, second, 10), encoding="utf-8")
    yield "a copy of the reference", human


def varied(name: str, data: Path, place: Path) -> Iterator[tuple[str, cb.Outcome]]:
    """(set-up, result) of one folder: another seed, reference, set of systems, kind of topics."""

    def run(**settings: Any) -> cb.Outcome:
        return cb.run("folder", folder=str(data / name), metric=list(METRICS), paths__cache=str(place), **settings)

    yield "as it is", (base := run())
    yield "seed 1", run(seed=1)
    for file in sorted((data / name).glob("reference-*"))[1:]:
        mark = file.name.removeprefix("reference-").partition(".")[0]
        yield f"reference {mark}", run(references=mark)
    ranked = base.systems[base.results["measure"]].dropna().sort_values().index
    for position in (0, len(ranked) // 2, -1):
        yield f"without {ranked[position]}", run(systems__exclude=[ranked[position]])
    for kind in ("keyterms", "sentences"):
        yield f"topics {kind}", run(topics=kind)


def setups(name: str, data: Path, place: Path) -> Iterator[tuple[str, cb.Outcome]]:
    """(set-up, result) of one folder, `place` the store: ten, or three."""
    how = {"paths__cache": str(place)}
    full = [(k, metrics) for metrics in (EIGHT[:1], EIGHT) for k in (3, 10, 100)]
    few = [(3, METRICS[:1]), (10, METRICS), (100, METRICS)]
    for k, metrics in full if name in FOLDERS else few:
        base = cb.run("folder", folder=str(data / name), metric=list(metrics), relevance__k=k, **how)
        yield f"k = {k}, {len(metrics)} metric{'s' * (len(metrics) > 1)}", base
    if name not in FOLDERS:
        return
    with tempfile.TemporaryDirectory() as made:
        for setup, folder in changed(data / name, base, Path(made)):
            yield setup, cb.run("folder", folder=str(folder), metric=list(EIGHT), **how)


def rows(name: str, setup: str, result: cb.Outcome) -> Iterator[Row]:
    """The rows of kendall for the primary measure; one row without a metric where nothing is compared."""
    measure, sentence = result.results["measure"], result.answer.split(". ")[0].rstrip(".")
    found = result.tables["correlations"]
    chosen: dict[str, Any] = next((one for one in result.results["findings"] if one["kind"] == "recommendation"), {})
    own = found[(found.measure == measure) & (found.coefficient == "kendall")]
    for row in own.itertuples():
        yield Row(
            name, setup, measure, row.metric, row.n_systems, row.groups, row.value, row.grade,
            row.lowered if isinstance(row.lowered, str) else "", " ".join(chosen.get("systems", ())),
            " ".join(chosen.get("tied", ())), sentence, row.ci_low, row.ci_high, row.p_value,
        )  # fmt: skip
    if own.empty:
        yield Row(name, setup, first_sentence=sentence)


def grouped(made: Iterable[Any], column: str) -> dict[str, list[Any]]:
    """Rows by their value in a column."""
    found: dict[str, list[Any]] = {}
    for row in made:
        found.setdefault(getattr(row, column), []).append(row)
    return found


def preferred(row: Row) -> set[str]:
    """The recommended system and those tied with it."""
    return {*row.recommended.split(), *row.tied.split()}


def verdicts(made: Iterable[Row]) -> Iterator[str]:
    """What differs between the set-ups of a folder by more than it may; nothing where they agree."""
    for name, own in grouped(made, "run").items():
        measures = {row.measure for row in own}
        if len(measures) > 1:
            yield f"{name}: the answer is about {', '.join(sorted(measures))}"
        for metric in dict.fromkeys(row.metric for row in own):
            steps = {row.setup: STEPS.get(row.grade, 0) for row in own if row.metric == metric}
            if max(steps.values()) - min(steps.values()) > 1:
                yield f"{name}: {metric} moves by more than one step: {steps}"
        sets = [preferred(row) for row in own if row.recommended]
        if sets and not set.intersection(*sets):
            yield f"{name}: no system is recommended or tied in every set-up"


def contradictions(made: Iterable[Row]) -> Iterator[str]:
    """Two set-ups of a folder of which one denies what the other says; nothing where none does.

    About different measures; a metric strong in one and not shown in the other, or shown and contradicted; the systems
    recommended or tied have none in common.
    """
    for name, own in grouped(made, "run").items():
        for (one, ours), (other, theirs) in combinations(grouped(own, "setup").items(), 2):
            where = f'{name}, "{one}" and "{other}"'
            if ours[0].measure != theirs[0].measure:
                yield f"{where}: the answer is about {ours[0].measure} and {theirs[0].measure}"
            grades = {row.metric: row.grade for row in theirs}
            for row in ours:
                low, high = sorted((STEPS.get(row.grade, 0), STEPS.get(grades.get(row.metric, row.grade), 0)))
                if (low <= 0 and high == STEPS["strong"]) or low < 0 < high:
                    yield f"{where}: {row.metric} is {row.grade} and {grades[row.metric]}"
            sets = [preferred(rows[0]) for rows in (ours, theirs)]
            if all(sets) and not set.intersection(*sets):
                yield f"{where}: no system is recommended or tied in both"


OTHERS = ", three of\n{number} other folders (`relevance.k=3` with BLEU alone, 10 and 100 with five metrics)"

INTRO = """<!-- Written by benchmarks/answers.py from docs/data/answers.tsv and settings.tsv; do not edit. -->
# What clirbench answers on WMT

`+experiment=folder folder=DIR 'metric=[BLEU,chrF1,chrF2,MacroF1,MicroF1]'` for each of the {folders} language pairs of
WMT 2021 to 2024 with five systems or more; nothing else is set. Topics and relevance come from the reference, which
favours metrics that match words. A folder counts by the metric with the best evidence, which the first sentence of the
answer is about; the example is the folder with the median number of systems. Every folder is in
[answers.tsv](../data/answers.tsv).

| evidence | folders | systems | example | its first sentence |
| --- | --: | --: | --- | --- |"""
SETUPS = """
## Do other settings contradict?

{setups} further set-ups: ten of {ten} folders (`relevance.k` of 3, 10 and 100, one metric and eight; a covariate that
orders the systems as retrieval does, a score whose tau is 1, a near-copy, a copy of the reference){others}.
Two set-ups contradict each other if their answers are about different measures, if a metric's evidence is strong in one
and not shown in the other, if it is shown in one and contradicted in the other, or if the systems that they recommend
or call tied have none in common.

**Contradictions: {number}.**{contradictions}

**A metric's grade moves by two steps or more, or no system is in every set-up's set: {moves}.**{moved}

## Do other data?

Grades of a metric in {varied} folders, with five metrics, beside those of the folder as it is. Another reference, other
topics or other systems are other evidence; the answer says "by this reference" and how many systems it rests on.

| changed | grades | moved by a step | by two |
| --- | --: | --: | :-- |
{steps}

Every metric of every set-up: [settings.tsv](../data/settings.tsv).

## What changed since version three?

Grades by metric; every folder is in [since-version-3.tsv](../data/since-version-3.tsv).

| by version three | grades | now |
| --- | --: | :-- |
{since}"""


def since() -> list[Change]:
    """Version three's grades, beside those of answers.tsv."""
    now = {(row.run, row.metric): row.grade for row in read_rows(ANSWERS, Row)}
    return [replace(old, now=now.get((old.run, old.metric), "")) for old in read_rows(SINCE, Change)]


def moves(changes: Iterable[Change]) -> Iterator[str]:
    """A row for each grade of version three: how many of the folders' metrics had it, and what they have now."""
    by_grade = grouped((one for one in changes if "/" in one.run), "version_3")
    for grade, held in sorted(by_grade.items(), key=lambda item: GRADES.index(item[0])):
        now = Counter(one.now or "not asked" for one in held)
        yield f"| {grade} | {len(held)} | {', '.join(f'{name} {n}' for name, n in now.most_common())} |"


def steps(varied: Iterable[Row]) -> Iterator[str]:
    """A row for each kind of change: how many grades, how many of them a step from "as it is", and which by two."""
    plain: dict[tuple[str, str], int] = {}
    moved: dict[str, list[tuple[int, str]]] = {}
    for row in varied:
        step, (change, _, to) = STEPS.get(row.grade, 0), row.setup.partition(" ")
        if row.setup == "as it is":
            plain[row.run, row.metric] = step
        elif (was := plain.get((row.run, row.metric))) is not None:
            moved.setdefault(VARIED[change], []).append((abs(step - was), f"{row.run} {row.metric} ({to})"))
    for change, by in moved.items():
        far = [cell for n, cell in by if n > 1]
        yield f"| {change} | {len(by)} | {sum(n == 1 for n, _ in by)} | {len(far)}{': ' * bool(far)}{', '.join(far)} |"


def page(answers: Iterable[Row], settings: Sequence[Row]) -> str:
    """docs/explanation/answers.md."""
    varied = [row for row in settings if row.setup.split()[0] in ("as", *VARIED)]
    settings = [row for row in settings if row not in varied]
    folders = grouped((row for row in answers if "/" in row.run), "run")
    best = {name: min((row.grade for row in own), key=GRADES.index) for name, own in folders.items()}
    lines = [INTRO.format(folders=len(folders))]
    for grade in GRADES:
        if alike := sorted(
            (max(row.systems for row in folders[name]), name) for name in folders if best[name] == grade
        ):
            _, name = alike[len(alike) // 2]
            span = " to ".join(dict.fromkeys((str(alike[0][0]), str(alike[-1][0]))))
            lines.append(f"| {grade} | {len(alike)} | {span} | {name} | {folders[name][0].first_sentence}. |")
    asked = {row.run for row in settings}
    others = len(asked - set(FOLDERS))
    against, moved = list(contradictions(settings)), list(verdicts(settings))
    told = SETUPS.format(
        setups=len({(row.run, row.setup) for row in settings}),
        ten=len(asked & set(FOLDERS)),
        varied=len({row.run for row in varied}),
        steps="\n".join(steps(varied)),
        others=OTHERS.format(number=others) if others else "",
        number=len(against),
        contradictions=_listed(against),
        moves=len(moved),
        moved=_listed(moved),
        since="\n".join(moves(since())),
    )
    return "\n".join([*lines, told]) + "\n"


def _listed(found: Sequence[str]) -> str:
    return "".join(f"\n\n* {one}" if i == 0 else f"\n* {one}" for i, one in enumerate(found))


def made() -> str:
    """The page of the committed data."""
    return page(read_rows(ANSWERS, Row), read_rows(SETTINGS, Row))


def measured(options: argparse.Namespace, store: Path) -> Iterator[Row]:
    """Every run, or every set-up of every folder; results are kept in `store`."""
    if options.settings:
        for name in dict.fromkeys([*FOLDERS, *map(label, wmt(FEWEST, options.data))]):
            for asked in (setups, varied) if name.startswith(options.only) else ():
                for setup, result in asked(name, options.data, store):
                    yield from rows(name, setup, result)
        return
    for name, experiment, settings in runs(options.data):
        if name.startswith(options.only):
            try:
                result = cb.run(experiment, **settings, paths__cache=str(store / "cache"))
            except cb.ClirbenchError as error:
                yield Row(name, first_sentence=f"error: {str(error).splitlines()[0]}")
                continue
            result.save(store / name.replace("/", "-"))
            yield from rows(name, "", result)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?", help="the folder of real data; without it the page is written")
    parser.add_argument("--settings", action="store_true", help="the set-ups")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--only", default="", help="runs whose name begins so")
    options = parser.parse_args()
    if not options.data:
        PAGE.write_text(made(), encoding="utf-8")
        return
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for row in measured(options, options.keep or Path(folder)):
            found.append(row)
            print(row.run, row.setup, row.metric, row.grade, row.first_sentence, sep="\t", file=sys.stderr, flush=True)
    file = SETTINGS if options.settings else ANSWERS
    write(file, COLUMNS[file], ([getattr(row, name) for name in COLUMNS[file]] for row in found))
    write_rows(SINCE, Change, since())


if __name__ == "__main__":
    main()
