"""The page of reproductions: `python docs/generator/reproductions.py RUN ... [--data DATA]` lets sealed runs enter.

Each run is verified first (`clirbench verify`): one whose tables do not follow from its inputs does not enter. Then it
has a row in docs/data/reproductions.tsv, from which docs/reproductions.md is written:

    of a published table   expected: its cells that can be compared; seen: how many of them are as printed
    of any other run       expected: tau of the metric and measure that the answer begins with, as the row has it

OK: all as printed, or the same four digits; OKish: the rest is explained, or tau is within .005; FAIL: neither; first:
a run that had no row. `--again DATA DIR` makes every run of the table again, in DIR, and lets them enter.
"""

import argparse
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import chain
from pathlib import Path

from clirbench.files.run_files import MANIFEST, read_provenance, read_results
from clirbench.files.tables import read_table
from clirbench.text import TextFile

DOCS = Path(__file__).resolve().parents[1]
TABLE, PAGE = DOCS / "data" / "reproductions.tsv", DOCS / "reproductions.md"
AS_PRINTED, EXPLAINED = {"as printed"}, {"explained", "published error"}
NOT_COMPARED = {"no scores", "not printed"}
NEAR = 0.005
VERDICTS = {
    "OK": "all as printed, or the same four digits",
    "OKish": "the other cells are explained, or tau is within .005",
    "FAIL": "neither",
    "first": "nothing to compare with yet",
}
HEAD = """<!-- Written by docs/generator/reproductions.py from docs/data/reproductions.tsv; do not edit. -->

# Reproductions

Every row is a sealed run that `clirbench verify` computed again before it entered. `DATA` is the folder with the
published texts ([data sets](how-to/corpus.md#data-sets-with-a-manifest)); without it a command needs no data. Of a
published table the cells count that can be compared, of any other run Kendall's tau of the metric and measure that its
answer begins with. A seal is of one folder, and holds when and by what command it was made: a run made again has
another seal and the same figures.

"""
TAIL = """
Your run enters by `python docs/generator/reproductions.py RUN --data DATA`, where `DATA` has its inputs. What differs
cell by cell: [the papers](papers.md).
"""


@dataclass(frozen=True)
class Row:
    """One run: `command` with DATA for the folder of data; `seal` begins the sha256 of its manifest.json."""

    experiment: str
    command: str
    of: str
    expected: str
    seen: str
    verdict: str
    clirbench: str
    seal: str


def rows() -> dict[str, Row]:
    """The rows of the table by command."""
    names = [field.name for field in fields(Row)]
    found = (
        [Row(**{name: row[name] for name in names}) for row in read_table(TABLE).records()] if TABLE.is_file() else []
    )
    return {row.command: row for row in found}


def command_of(words: Sequence[str], data: Path | None) -> str:
    """A recorded command, DATA in the place of the folder of data; raises `SystemExit` for another absolute path."""
    said = shlex.join([word for word in words if not word.startswith(("paths.cache=", "output.quiet="))])
    for place in sorted({str(data), str(data.resolve())} if data else (), key=len, reverse=True):
        said = said.replace(place, "DATA")
    if absolute := next((word for word in said.split() if "=/" in word or "[/" in word), None):
        raise SystemExit(f"{absolute}: name the folder that holds it, --data DATA")
    return said


def row_of(run: Path, kept: Mapping[str, Row], data: Path | None) -> Row:
    """The row of a run that was verified."""
    provenance = read_provenance(run, ("command", "clirbench"))
    results = read_results(run, ("name", "findings", "tables"))
    command = command_of(provenance["command"], data)
    table, name = read_tables(run, results["tables"]), str(results["name"])
    before = kept.get(command)
    if table:
        counted = Counter(table)
        compared = sum(n for verdict, n in counted.items() if verdict not in NOT_COMPARED)
        printed = sum(counted[verdict] for verdict in AS_PRINTED)
        others = [
            f"{n} {verdict}" for verdict, n in sorted(counted.items()) if verdict not in AS_PRINTED | NOT_COMPARED
        ]
        differs = compared - printed - sum(counted[verdict] for verdict in EXPLAINED)
        verdict = "FAIL" if differs or not compared else "OKish" if printed < compared else "OK"
        of, expected, seen = "cells", f"{compared}", "; ".join([f"{printed} as printed", *others])
    else:
        found = next((one for one in results["findings"] if one["kind"] == "agreement"), None)
        if found is None:
            raise SystemExit(f"{run}: its answer compares no metric with a measure")
        of, seen = f"tau of {found['metric']} and {found['measure']}", f"{found['tau']:.4f}"
        expected = before.expected if before and before.of == of else ""
        gap = abs(float(expected) - found["tau"]) if expected else 0.0
        verdict = "first" if not expected else "OK" if expected == seen else "OKish" if gap <= NEAR else "FAIL"
        expected = expected or seen
    return Row(
        name,
        command,
        of,
        expected,
        seen,
        verdict,
        str(provenance["clirbench"]),
        TextFile(run / MANIFEST).fingerprint[:12],
    )


def read_tables(run: Path, tables: Mapping[str, Mapping[str, Sequence[str]]]) -> list[str]:
    """The verdict of each cell of the published tables of a run."""
    named = [name for name, table in tables.items() if {"published", "verdict"} <= {*table["columns"]}]
    return [str(row["verdict"]) for name in named for row in read_table(run / f"{name}.tsv").records()]


def page(kept: Mapping[str, Row]) -> str:
    """The page of these rows."""
    counted = Counter(row.verdict for row in kept.values())
    said = "; ".join(f"{counted[verdict]} {verdict} ({what})" for verdict, what in VERDICTS.items() if counted[verdict])
    cells = ["experiment", "command", "of", "expected", "seen", "", "clirbench", "seal"]
    lines = ["| " + " | ".join(cells) + " |", "| --- | --- | --- | ---: | ---: | --- | --- | --- |"]
    for row in kept.values():
        shown = [
            row.experiment,
            f"`{row.command}`",
            row.of,
            row.expected,
            row.seen,
            row.verdict,
            row.clirbench,
            row.seal,
        ]
        lines.append("| " + " | ".join(cell.replace("|", r"\|") for cell in shown) + " |")
    return f"{HEAD}{len(kept)} runs: {said}.\n\n" + "\n".join(lines) + "\n" + TAIL


def made_again(kept: Mapping[str, Row], data: Path, folder: Path) -> Iterator[Path]:
    """Make every run of the table again, in this folder."""
    for number, command in enumerate(kept):
        run, words = folder / f"run-{number}", shlex.split(command.replace("DATA", str(data)))
        out = [f"hydra.run.dir={run}", f"paths.cache={folder / 'cache'}", "--quiet"]
        subprocess.run([sys.executable, *words[1:], *out], check=False, stdout=subprocess.DEVNULL)
        yield run


def enter(runs: Iterable[Path], kept: dict[str, Row], data: Path | None) -> list[str]:
    """Verify each run and put its row into `kept`; returns a line for each that cannot enter."""
    refused = []
    for run in runs:
        command = [sys.executable, "-m", "clirbench", "verify", str(run)]
        checked = subprocess.run(command, check=False, capture_output=True, text=True)
        if checked.returncode:
            refused.append(f"{run}: {(checked.stderr + checked.stdout).strip().splitlines()[0]}")
            continue
        row = row_of(run, kept, data)
        kept[row.command] = row
        print(f"{row.verdict}: {row.command}: {row.of}: {row.seen} for {row.expected}", flush=True)
    return refused


def main() -> int:
    """Let runs enter; write the table and the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="*", type=Path, metavar="RUN")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--again", nargs=2, type=Path, metavar=("DATA", "DIR"))
    options = parser.parse_args()
    kept = rows()
    data, runs = options.data, iter(options.runs)
    if options.again:
        data, folder = (path.absolute() for path in options.again)
        runs = chain(runs, made_again(dict(kept), data, folder))
    refused = enter(runs, kept, data.absolute() if data else None)
    table = ["\t".join(field.name for field in fields(Row)), *("\t".join(vars(row).values()) for row in kept.values())]
    TABLE.write_text("\n".join(table) + "\n", encoding="utf-8")
    PAGE.write_text(page(kept), encoding="utf-8")
    print(*refused, sep="\n", file=sys.stderr)
    return int(bool(refused) or any(row.verdict == "FAIL" for row in kept.values()))


if __name__ == "__main__":
    sys.exit(main())
