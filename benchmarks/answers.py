"""What runs answer: `python -m benchmarks.answers --data ../shared/data --out docs/data/answers.tsv [--keep DIR]`.

One line for each run and metric: the primary measure, tau between groups, its interval, the lower bound for all metrics
together, p and grade, as correlations.tsv has them; with the first sentence of the answer. The runs are the named
experiments and every WMT folder with at least five systems. `benchmarks/answers_again.py` computes tau, interval and
grade a second time from the folders that `--keep` leaves.
"""

import argparse
import csv
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import clirbench as cb

HEADER = (
    "run", "systems", "groups", "measure", "metric", "tau", "low", "high", "lower", "p_value", "grade", "lowered",
    "first_sentence",
)  # fmt: skip
METRICS = ["BLEU", "chrF1", "chrF2", "MacroF1", "MicroF1"]
FEWEST = 5


def folders(data: Path) -> list[str]:
    """Every WMT folder with at least five systems: wmt22/de-en."""
    found = sorted(data.glob("wmt2*/*-*"))
    return [f"{one.parent.name}/{one.name}" for one in found if len(list((one / "systems").glob("*.txt*"))) >= FEWEST]


def runs(data: Path) -> Iterator[tuple[str, str, dict[str, object]]]:
    """(name, experiment, settings) of every run."""
    yield "demo", "demo", {}
    yield "europarl_csen_published", "europarl_csen_published", {}
    for name in ("europarl_csen", "wmt21_deen"):
        yield name, name, {"paths__mirror": str(data)}
    for folder in folders(data):
        yield folder, "folder", {"folder": str(data / folder), "metric": METRICS}


def rows(name: str, result: cb.Outcome) -> Iterator[tuple[object, ...]]:
    """The rows of kendall for the primary measure; one row without a metric where nothing is compared."""
    sentence = result.answer.split(". ")[0].rstrip(".")
    found = result.tables["correlations"]
    own = found[(found.measure == result.results["measure"]) & (found.coefficient == "kendall")]
    for row in own.itertuples():
        yield (
            name, row.n_systems, row.groups, row.measure, row.metric, row.value, row.ci_low, row.ci_high, row.lower,
            row.p_value, row.grade, row.lowered, sentence,
        )  # fmt: skip
    if own.empty:
        yield (name, *[""] * (len(HEADER) - 2), sentence)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--only", default="", help="runs whose name begins so")
    options = parser.parse_args(arguments)
    made: list[tuple[object, ...]] = []
    with tempfile.TemporaryDirectory() as folder:
        keep = options.keep or Path(folder)
        for name, experiment, settings in runs(options.data):
            if not name.startswith(options.only):
                continue
            try:
                result = cb.run(experiment, **settings, paths__cache=str(keep / "cache"))
            except cb.ClirbenchError as error:
                made.append((name, *[""] * (len(HEADER) - 2), f"error: {str(error).splitlines()[0]}"))
                print(name, error, file=sys.stderr)
                continue
            result.save(keep / name.replace("/", "-"))
            made += rows(name, result)
            print(name, made[-1][-1], file=sys.stderr, flush=True)
    with options.out.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, delimiter="\t", lineterminator="\n").writerows([HEADER, *made])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
