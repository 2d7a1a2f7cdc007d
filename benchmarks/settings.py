"""Does a setting turn the answer round? `python -m benchmarks.settings --data ../shared/data --out settings.tsv`.

Ten set-ups of six folders: k of 3, 10 and 100, with one metric and with eight; then with eight, each alone: a covariate
that orders the systems as retrieval does, a score whose tau is 1, a near-copy of a system, a copy of the reference.
Three set-ups of every other WMT folder: k of 3 with one metric, 10 and 100 with five. One line for each set-up and
metric, with the measure that the answer is about, the grade and the recommended system. Read at the end: whether one
folder's set-ups are about one measure, by how many steps a metric's grade moves, and whether the systems recommended or
tied have one in common. Folders and set-ups were fixed before the first result.
"""

import argparse
import csv
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path

import clirbench as cb
from benchmarks.answers import METRICS as FIVE
from benchmarks.answers import folders
from clirbench.text import TextFile

FOLDERS = ("wmt22/de-en", "wmt21/ha-en", "wmt22/en-cs", "wmt23/de-en", "wmt23/zh-en", "wmt21/en-ru")
METRICS = ("BLEU", "chrF1", "chrF2", "chrF3", "chrFpp", "MacroF1", "MicroF1", "TER")
STEPS = {"strong": 3, "moderate": 2, "weak": 1, "contradicted": -1}
"""Grades that show nothing (open, little, too noisy to tell) are 0."""


@dataclass(frozen=True)
class Row:
    """One metric in one set-up; `recommended` and `tied`: systems, separated by a space."""

    folder: str
    setup: str
    measure: str
    metric: str
    systems: int
    groups: int
    tau: float
    lower: float
    grade: str
    lowered: str
    recommended: str
    tied: str
    first_sentence: str


def lines(path: Path) -> tuple[str, ...]:
    return TextFile(path).lines()


def copied(folder: Path, place: Path) -> Path:
    """A copy of a folder that may be added to."""
    shutil.copytree(folder, place, ignore=shutil.ignore_patterns("human*", "official*"))
    for made in (place, place / "systems"):
        made.chmod(0o755)
    return place


def mixed(ours: Sequence[str], theirs: Sequence[str], every: int) -> str:
    """Text of `ours`, each line whose number `every` divides from `theirs`."""
    return "".join(f"{b if i % every == 0 else a}\n" for i, (a, b) in enumerate(zip(ours, theirs, strict=True), 1))


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
    (near / "systems" / "near-copy.txt").write_text(mixed(lines(first), lines(second), 25), encoding="utf-8")
    yield "a near-copy", near
    human = copied(folder, place / "human")
    reference = sorted(folder.glob("reference*"))[0]
    (human / "systems" / "translation.txt").write_text(mixed(lines(reference), lines(second), 10), encoding="utf-8")
    yield "a copy of the reference", human


def runs(name: str, data: Path, place: Path) -> Iterator[tuple[str, cb.Outcome]]:
    """(set-up, result) of one folder, `place` the store: ten, or three."""
    how = {"paths__cache": str(place)}
    full = [(k, metrics) for metrics in (METRICS[:1], METRICS) for k in (3, 10, 100)]
    few = [(3, FIVE[:1]), (10, FIVE), (100, FIVE)]
    for k, metrics in full if name in FOLDERS else few:
        base = cb.run("folder", folder=str(data / name), metric=list(metrics), relevance__k=k, **how)
        yield f"k = {k}, {len(metrics)} metric{'s' * (len(metrics) > 1)}", base
    if name not in FOLDERS:
        return
    with tempfile.TemporaryDirectory() as made:
        for setup, folder in changed(data / name, base, Path(made)):
            yield setup, cb.run("folder", folder=str(folder), metric=list(METRICS), **how)


def rows(name: str, setup: str, result: cb.Outcome) -> Iterator[Row]:
    measure = result.results["measure"]
    found = result.tables["correlations"]
    chosen = next((one for one in result.results["findings"] if one["kind"] == "recommendation"), {})
    for row in found[(found.measure == measure) & (found.coefficient == "kendall")].itertuples():
        yield Row(
            name, setup, measure, row.metric, row.n_systems, row.groups, row.value, row.lower, row.grade,
            row.lowered if isinstance(row.lowered, str) else "", " ".join(chosen.get("systems", ())),
            " ".join(chosen.get("tied", ())), result.answer.split(". ")[0].rstrip("."),
        )  # fmt: skip


def verdicts(made: Iterable[Row]) -> Iterator[str]:
    """What differs between the set-ups of a folder by more than it may; nothing where they agree."""
    folders: dict[str, list[Row]] = {}
    for row in made:
        folders.setdefault(row.folder, []).append(row)
    for name, own in folders.items():
        measures = {row.measure for row in own}
        if len(measures) > 1:
            yield f"{name}: the answer is about {', '.join(sorted(measures))}"
        for metric in dict.fromkeys(row.metric for row in own):
            steps = {row.setup: STEPS.get(row.grade, 0) for row in own if row.metric == metric}
            if max(steps.values()) - min(steps.values()) > 1:
                yield f"{name}: {metric} moves by more than one step: {steps}"
        sets = [{*row.recommended.split(), *row.tied.split()} for row in own if row.recommended]
        if sets and not set.intersection(*sets):
            yield f"{name}: no system is recommended or tied in every set-up"


def contradictions(made: Iterable[Row]) -> Iterator[str]:
    """Two set-ups of a folder of which one denies what the other says; nothing where none does.

    About different measures; a metric strong in one and not shown in the other, or shown and contradicted; the systems
    recommended or tied have none in common.
    """
    folders: dict[str, dict[str, list[Row]]] = {}
    for row in made:
        folders.setdefault(row.folder, {}).setdefault(row.setup, []).append(row)
    for name, setups in folders.items():
        for (one, ours), (other, theirs) in combinations(setups.items(), 2):
            where = f'{name}, "{one}" and "{other}"'
            if ours[0].measure != theirs[0].measure:
                yield f"{where}: the answer is about {ours[0].measure} and {theirs[0].measure}"
            grades = {row.metric: row.grade for row in theirs}
            for row in ours:
                low, high = sorted((STEPS.get(row.grade, 0), STEPS.get(grades.get(row.metric, row.grade), 0)))
                if (low <= 0 and high == STEPS["strong"]) or low < 0 < high:
                    yield f"{where}: {row.metric} is {row.grade} and {grades[row.metric]}"
            sets = [{*rows[0].recommended.split(), *rows[0].tied.split()} for rows in (ours, theirs)]
            if all(sets) and not set.intersection(*sets):
                yield f"{where}: no system is recommended or tied in both"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--store", type=Path, help="where computed scores are kept")
    options = parser.parse_args(arguments)
    made: list[Row] = []
    with tempfile.TemporaryDirectory() as place:
        names = [*FOLDERS, *(name for name in folders(options.data) if name not in FOLDERS)]
        for name in names:
            for setup, result in runs(name, options.data, options.store or Path(place)):
                made += rows(name, setup, result)
                print(name, setup, made[-1].measure, made[-1].first_sentence, sep="\t", file=sys.stderr, flush=True)
    with options.out.open("w", encoding="utf-8", newline="") as stream:
        written = csv.writer(stream, delimiter="\t", lineterminator="\n")
        written.writerow(Row.__dataclass_fields__)
        written.writerows(asdict(row).values() for row in made)
    print(*verdicts(made), f"{len(made)} grades in {len(names)} folders", sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
