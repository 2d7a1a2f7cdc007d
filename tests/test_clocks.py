"""No test compares what a clock says: a busy machine would make it fail, and a fast one would hide what is slow.

What must be fast is counted (`tests/counting.py`) or measured in benchmarks/. What is waited for has no limit but
pytest's (`tests/waiting.py`). Memory may be asserted of a process that does nothing else.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
CLOCKS = re.compile(
    r"(time|monotonic|perf_counter|process_time|thread_time)(_ns)?|clock_gettime|default_timer|times|getrusage|now|utcnow"
    r"|get_traced_memory|ru_[us]time|cpu_times|memory_info"
)
MODULES = {"time", "os", "timeit", "resource", "datetime", "date", "tracemalloc", "psutil", "Process"}
IN_PROGRAMS = re.compile(r"\b(time\.time|monotonic|perf_counter|process_time|ru_[us]time|default_timer)\b")


def is_clock(node: ast.AST, imported: set[str]) -> bool:
    """Whether a name or an attribute is one that a clock is read by."""
    if isinstance(node, ast.Attribute):
        return bool(CLOCKS.fullmatch(node.attr)) and (
            node.attr.startswith("ru_")
            or (isinstance(node.value, ast.Name | ast.Attribute) and last(node.value) in MODULES)
        )
    return isinstance(node, ast.Name) and node.id in imported


def last(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr


def names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def flows(tree: ast.AST) -> Iterator[tuple[ast.AST, set[str]]]:
    """(value, names that hold it or something made of it): assignments, loops, what is put into a list, returns."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            yield node.value, set().union(*map(names, node.targets))
        elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr) and node.value is not None:
            yield node.value, names(node.target)
        elif isinstance(node, ast.For | ast.comprehension):
            yield node.iter, names(node.target)
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("append", "add", "extend")
        ):
            for value in node.args:
                yield value, names(node.func.value)
        elif isinstance(node, ast.FunctionDef):
            for part in ast.walk(node):
                if isinstance(part, ast.Return | ast.Yield) and part.value is not None:
                    yield part.value, {node.name}


def asserted_clocks(source: str) -> list[int]:
    """The lines where a value that comes from a clock is compared, and those of programs in a text that read one."""
    tree = ast.parse(source)
    imported = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in MODULES
        for alias in node.names
        if CLOCKS.fullmatch(alias.name)
    }
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    nested = {part for node in functions for part in ast.walk(node) if part is not node}
    outermost = [node for node in functions if node not in nested]
    told_by: set[str] = set()  # functions that return what a clock says

    def tells_time(node: ast.AST, held: set[str]) -> bool:
        return any(
            is_clock(part, imported) or (isinstance(part, ast.Name) and part.id in held) for part in ast.walk(node)
        )

    def told(scope: ast.AST) -> set[str]:
        held, grown = set(told_by), -1
        while grown != len(held):
            grown = len(held)
            for value, targets in flows(scope):
                if tells_time(value, held):
                    held |= targets
        return held

    grown = -1
    while grown != len(told_by):
        grown = len(told_by)
        told_by |= {node.name for node in outermost if node.name in told(node)}
    at_top = ast.Module([node for node in tree.body if not isinstance(node, ast.FunctionDef | ast.ClassDef)], [])
    compared = [
        node.lineno
        for scope in (at_top, *outermost)
        for held in [told(scope)]
        for node in ast.walk(scope)
        if isinstance(node, ast.Compare) and tells_time(node, held)
    ]
    programs = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "import " in node.value
        if IN_PROGRAMS.search(node.value)
    ]
    return sorted(compared + programs)


@pytest.mark.parametrize(
    "path", [path for path in TESTS.rglob("*.py") if path != Path(__file__)], ids=lambda path: path.stem
)
def test_no_clock_is_asserted(path: Path) -> None:
    assert asserted_clocks(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "lines",
    [
        "import time\nbegan = time.process_time()\nwork()\nassert time.process_time() - began < 2",
        "import time\ndef test():\n    end = time.monotonic() + 9\n    if time.monotonic() > end:\n        raise E",
        "from time import perf_counter as now\nstart = now()\ntook = now() - start\nassert round(took) <= 3",
        "import time\ntook = []\nfor _ in range(3):\n    took.append(time.time())\nassert min(took) < 1",
        "import time\ndef spent():\n    return time.time_ns()\nseconds = spent()\nassert 1 < seconds",
        "import resource\nused = resource.getrusage(resource.RUSAGE_SELF)\nassert used.ru_utime < 5",
        "import os\n_, _, used = os.wait4(1, 0)\nspent = used.ru_utime + used.ru_stime\nassert spent / 3 < 9",
        "import tracemalloc\n_, peak = tracemalloc.get_traced_memory()\nassert peak < 1e9",
        "CODE = 'import time; print(time.perf_counter())'",
        "import datetime\nassert datetime.datetime.now().year < 2000",
    ],
)
def test_an_asserted_clock_is_found(lines: str) -> None:
    assert len(asserted_clocks(lines)) == 1


@pytest.mark.parametrize(
    "lines",
    [
        "import time\nwhile not done():\n    time.sleep(0.01)",
        "import os, time\nos.utime('a', (time.time(), 0))\nassert read('a') == 1",
        "assert path.stat().st_mtime_ns == before",
        "import resource\nassert resource.getrlimit(resource.RLIMIT_AS) == (1, 2)",
    ],
)
def test_what_asserts_no_clock_is_none(lines: str) -> None:
    assert asserted_clocks(lines) == []
