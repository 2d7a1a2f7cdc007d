"""Do tests notice a wrong number? Faults, each put into a copy of the checkout: does a test fail, and which?

    python -m benchmarks.mutants                 22 slips that people make
    python -m benchmarks.mutants --generated 300 and as many by lot: a comparison, an operator, a constant of the core
    python -m benchmarks.mutants --only columns 3
    python -m benchmarks.mutants --list

A slip is found by its text, wherever the module is; where that text is rewritten, rewrite the line here and keep the
fault. Which tests run which function is seen once (as a plug-in of pytest) and kept in `--keep`; a fault is shown to
the tests that run its function, the quickest first, up to 60 seconds of them.
"""

import argparse
import ast
import importlib.util
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "clirbench"
CORE = ("labs", "data", "commands", "report", "configuration", "api")
"""Folders of the package in which no fault is drawn: they show and choose, and have tests of their own kind."""
BUDGET, SEED = 60.0, 20261124
SIGNS: dict[type, tuple[str, str]] = {
    **{ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">")},
    **{ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.Add: ("+", "-"), ast.Sub: ("-", "+")},
    **{ast.Mult: ("*", "/"), ast.Div: ("/", "*"), ast.And: ("and", "or"), ast.Or: ("or", "and")},
}
"""How an operator is written, and what is put in its place."""


MUTANTS = """
coefficients: a tie counts as discordant: float((signs(x) * signs(y)[-)-]{+ - (signs(y) == 0))+}.sum()) / 2
coefficients: a system is ordered before itself: [-(len(column) ** 2-]{+(len(column) * (len(column) + 1)+} - int(
coefficients: only one side is ranked: return pearson([-ranks(x)-]{+x+}, ranks(y), p_value
coefficients: 9 systems are no longer enumerated: if p_value == "exact" and n [-<=-]{+<+} ENUMERATED
coefficients: a hole in one column is kept: both = ~(np.isnan(x) [-|-]{+&+} np.isnan(y))
rbo: the reference side is not cut at depth: y = ranked_documents(ideal, topic_id)[-[: self.depth]-]{++}
rbo: the residual is measured from EXT: maximum(curve, self.p) - [-low-]{+extrapolated(curve, self.p)+}
rbo: ties are read after they are broken: run.values(topic_id[-, tied=True-]{++})[: self.depth]
rbo: one untied item makes all untied: if (sizes <= 1).[-all-]{+any+}():
types: documents tied with the last are lost: np.flatnonzero(scores [->=-]{+>+} threshold)
types: ties by doc_id descending: np.lexsort(([-ordinals-]{+-ordinals+}, -values))
types: grade 0 is relevant: any(grade [->-]{+>=+} 0 for grade in grades.values())
types: the inverse permutation: return np.asarray([-np.argsort(order)-]{+order+}, dtype=np.int64)
columns: a metric's direction is dropped: [-metric.higher_is_better-]{+True+},
columns: scores go to other systems: dict(zip([-imported.systems-]{+sorted(imported.systems)+}, column
columns: every measure is a plain mean: [-measure.aggregate(per_topic)-]{+per_topic.mean(axis=-1)+}.tolist()
columns: people's judgments count as pseudo-relevance: != "pseudo-relevance"[- and not measure.uses_qrels-]{++}
columns: computed measures come first: in ([-*columns, *computed.columns-]{+*computed.columns, *columns+}) if
passes: a score is rounded too early: np.array([[-float(metric.score(totals))-]{+round(metric.score(totals), 2)+}, float
experiment: topics for documents: name: Judged(rule.judge(ideal, english, topics), ideal, len([-english-]{+topics+}))
result: a share of the list, not of all matches: ideal.ranking(topic)) / [-matched[topic]-]{+len(ideal.ranking(topic))+}
result: unmatched topics count as unjudged: left = set(scored), {[-*unmatched, -]{++}*judged.topic_ids}
"""
"""Module, fault, and the change as `git diff --word-diff` shows it; what is there before occurs once in the package."""


class Mutant(NamedTuple):
    """A fault: the text of `path` (below the package) from `begin` to `end` becomes `new`."""

    path: str
    fault: str
    begin: int
    end: int
    new: str

    @classmethod
    def read(cls, line: str) -> "Mutant":
        """A fault of the list; `SystemExit` where its text does not occur exactly once."""
        module, fault, change = line.split(": ", 2)
        old, new = (re.sub(r"\[-(.*?)-\]\{\+(.*?)\+\}", side, change) for side in (r"\1", r"\2"))
        texts = {str(path.relative_to(PACKAGE)): path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
        found = [path for path, text in texts.items() for _ in range(text.count(old))]
        if len(found) != 1:
            raise SystemExit(f"{module}, {fault}: {old!r} occurs {len(found)} times, not once")
        begin = texts[found[0]].index(old)
        return cls(found[0], f"{module}: {fault}", begin, begin + len(old), new)

    def function(self) -> str:
        """The function that it is in, as a look at the tests names it; the file alone outside of functions."""
        text = (PACKAGE / self.path).read_text(encoding="utf-8")
        line, inside = text.count("\n", 0, self.begin) + 1, self.path
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0):
                inside = f"{self.path}:{min([node.lineno, *(d.lineno for d in node.decorator_list)])}"
        return inside


def generated(number: int) -> list[Mutant]:
    """Faults drawn by lot from all comparisons, sums, products, conjunctions and numbers in functions of the core."""
    sites = []
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.relative_to(PACKAGE).parts[0] in CORE:
            continue
        text, name = path.read_text(encoding="utf-8"), str(path.relative_to(PACKAGE))
        starts = [0, *(at + 1 for at, letter in enumerate(text) if letter == "\n")]
        for function in (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)):
            for statement in function.body:
                for node in ast.walk(statement):
                    for left, right, kind in operators(node):
                        begin, end = starts[left[0] - 1] + left[1], starts[right[0] - 1] + right[1]
                        if isinstance(kind, str):
                            sites.append(Mutant(name, f"line {left[0]}: {text[begin:end]} -> {kind}", begin, end, kind))
                        elif (at := text.find(SIGNS[type(kind)][0], begin, end)) >= 0:
                            old, new = SIGNS[type(kind)]
                            sites.append(Mutant(name, f"line {left[0]}: {old} -> {new}", at, at + len(old), new))
    return random.Random(SEED).sample(sorted(set(sites)), number)


Place = tuple[int, int]


def operators(node: ast.AST) -> Iterator[tuple[Place, Place, Any]]:
    """(where it begins, where it ends, the operator, or the text of another number) of what a node can have wrong."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SIGNS:
        yield (node.left.end_lineno, node.left.end_col_offset), _begin(node.comparators[0]), node.ops[0]  # type: ignore[misc]
    elif isinstance(node, ast.BinOp) and type(node.op) in SIGNS:
        yield (node.left.end_lineno, node.left.end_col_offset), _begin(node.right), node.op  # type: ignore[misc]
    elif isinstance(node, ast.BoolOp):
        first = node.values[0]
        yield (first.end_lineno, first.end_col_offset), _begin(node.values[1]), node.op  # type: ignore[misc]
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        end = (node.end_lineno, node.end_col_offset)
        yield _begin(node), end, str(node.value + 1 if node.value < 1 else node.value * 2)  # type: ignore[misc,operator]


def _begin(node: ast.expr) -> Place:
    return node.lineno, node.col_offset


def copied(folder: Path) -> Path:
    """A copy of the checkout, with the real data beside it where tests look for them."""
    ignored = shutil.ignore_patterns(".*", "runs", "dist", "__pycache__")
    if (ROOT.parent / "shared").exists():
        (folder / "shared").symlink_to((ROOT.parent / "shared").resolve())
    return shutil.copytree(ROOT, folder / "copy", ignore=ignored)


def runs(root: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    # What hangs is ended; a busy machine is no mutant.
    options = ["-q", "-m", "not slow and not release", "-p", "no:cacheprovider", "--timeout=300"]
    command = [sys.executable, "-m", "pytest", *options, *arguments]
    return subprocess.run(
        command, cwd=root, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Adds a line of JSON to the file that CLIRBENCH_TOUCHED names: the test, its seconds, and the functions of the
    package (file:first line) that ran in its own process."""
    codes: set[CodeType] = set()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        codes.add(frame.f_code)

    start, place = time.monotonic(), str(PACKAGE)
    sys.setprofile(note)
    threading.setprofile(note)
    try:
        return (yield)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
        files = ((code.co_filename, code.co_firstlineno) for code in codes)
        ran = sorted(f"{name[len(place) + 1 :]}:{line}" for name, line in files if name.startswith(place))
        with Path(os.environ["CLIRBENCH_TOUCHED"]).open("a", encoding="utf-8") as file:
            file.write(json.dumps([item.nodeid, round(time.monotonic() - start, 3), ran]) + "\n")


def touched(root: Path, keep: Path) -> dict[str, list[str]]:
    """Function -> the tests that run it, the quickest first, up to `BUDGET` seconds of them."""
    if not keep.exists():
        keep.parent.mkdir(parents=True, exist_ok=True)
        done = runs(root, "-n", "2", "-p", "benchmarks.mutants", CLIRBENCH_TOUCHED=str(keep.absolute()))
        print(done.stdout[-600:], file=sys.stderr)
    tests = sorted((json.loads(line) for line in keep.read_text(encoding="utf-8").splitlines()), key=lambda t: t[1])
    found, spent = defaultdict(list), Counter[str]()
    for test, seconds, functions in tests:
        for function in {*functions, *(one.partition(":")[0] for one in functions)}:
            if spent[function] + seconds <= BUDGET:
                spent[function] += seconds
                found[function].append(test)
    return found


def failing_test(tests: list[str], root: Path) -> str:
    """The first test that fails, or nothing."""
    done = runs(root, "-x", "-n", "0", *tests)
    failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", done.stdout, re.MULTILINE)
    return failed[1].removeprefix("tests/") if failed else "" if done.returncode == 0 else "(pytest ended)"


def write(source: Path, text: str) -> None:
    """Write a module and remove what was compiled of it, which Python knows by size and whole seconds alone."""
    source.write_text(text, encoding="utf-8")
    Path(importlib.util.cache_from_source(str(source))).unlink(missing_ok=True)


def verdict(mutant: Mutant, root: Path, tests: list[str]) -> str:
    """The test that failed, `untested`, or nothing where it survived."""
    source = root / "clirbench" / mutant.path
    text = source.read_text(encoding="utf-8")
    write(source, text[: mutant.begin] + mutant.new + text[mutant.end :])
    try:
        return failing_test(tests, root) if tests else ""
    finally:
        write(source, text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", help="modules, or numbers of mutants")
    parser.add_argument("--generated", type=int, default=0, help="how many are drawn by lot, beside the slips")
    parser.add_argument("--list", action="store_true", help="the mutants and where they are")
    parser.add_argument("--keep", type=Path, default=ROOT / "runs" / "touched.jsonl")
    options = parser.parse_args()
    listed = dict(enumerate([*map(Mutant.read, MUTANTS.strip().splitlines()), *generated(options.generated)], 1))
    wanted = {*(options.only or ())}
    chosen = {n: m for n, m in listed.items() if not wanted or {str(n), m.fault.partition(":")[0]} & wanted}
    if options.list:
        for n, mutant in chosen.items():
            print(n, mutant.path, mutant.fault, mutant.new, sep="\t")
        return
    with tempfile.TemporaryDirectory() as folder:
        root = copied(Path(folder))
        tests = touched(root, options.keep)
        died = Counter[str]()
        for n, mutant in chosen.items():
            kind = "slips" if n <= len(MUTANTS.strip().splitlines()) else "by lot"
            # A compiled function is not seen: the tests of its folder then.
            room = root / "tests" / Path(mutant.path).parts[0]
            own = [str(room)] if "compiled" in mutant.path and room.is_dir() else []
            test = verdict(mutant, root, tests.get(mutant.function(), own))
            died[kind] += bool(test)
            died[f"of {kind}"] += 1
            print(n, mutant.path, mutant.fault, test or "SURVIVED", sep="\t", flush=True)
    print(*(f"{died[kind]} of {died[f'of {kind}']} {kind} died" for kind in ("slips", "by lot")), sep="; ")


if __name__ == "__main__":
    main()
