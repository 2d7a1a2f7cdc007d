"""How large is the code, and how much of it does the smallest run meet? `python benchmarks/size.py [--run]`.

`--documents` counts the words of README.md, CONTRIBUTING.md and `docs/` as `wc -w` does: text, code blocks and tables
alike. Pages that a program writes as a whole say so (`GENERATED`) and are counted apart.

A line of code is a line of Python or of a template without docstrings, comments and blank lines. `--run` makes the
smallest run (six systems, BLEU, MAP) and counts files that run a function, functions, the types that they return, and
loaded modules of laboratories. Files of which it executes class statements alone are counted apart.
"""

import argparse
import ast
import io
import re
import sys
import tempfile
import tokenize
from collections import Counter
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "clirbench"
NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
LONG = 400
GENERATED = re.compile(
    r"\A<!-- Written by \S+ from .*; do not edit. -->$|paths\.mirror=DATA` .*writes this page", re.MULTILINE
)
"""What a page says that no one writes by hand."""


def code_lines(path: Path) -> int:
    """Lines of code of a file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix not in (".py", ".pyi"):
        return sum(bool(line.strip()) for line in text.splitlines())
    docstrings = {
        line
        for node in ast.walk(ast.parse(text))
        for part in (getattr(node, "body", []) if not isinstance(node, ast.Lambda | ast.IfExp) else [])
        if isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant) and isinstance(part.value.value, str)
        for line in range(part.lineno, (part.end_lineno or part.lineno) + 1)
    }
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    code = {line for t in tokens if t.type not in NO_CODE for line in range(t.start[0], t.end[0] + 1)}
    return len(code - docstrings)


def laboratory(path: Path) -> str:
    """The laboratory of a file, or `core`."""
    parts = path.relative_to(PACKAGE).parts
    return f"labs/{parts[1]}" if parts[0] == "labs" and len(parts) > 2 else "core"


def sizes() -> None:
    """Print lines, files and classes of the core and of each laboratory, and files that are too long."""
    lines: Counter[str] = Counter()
    files: Counter[str] = Counter()
    classes: Counter[str] = Counter()
    for path in sorted(PACKAGE.rglob("*")):
        if path.suffix in (".py", ".pyi", ".j2", ".js", ".css", ".c", ".h", ".rs"):
            place = laboratory(path)
            lines[place] += code_lines(path)
            files[place] += 1
            if path.suffix == ".py":
                tree = ast.parse(path.read_text(encoding="utf-8"))
                classes[place] += sum(isinstance(node, ast.ClassDef) for node in ast.walk(tree))
            if (n := code_lines(path)) > LONG:
                print(f"more than {LONG} lines of code: {path.relative_to(ROOT)} ({n})")
    print(f"{'':20} {'code lines':>10} {'files':>6} {'classes':>8}")
    for place in sorted(lines):
        print(f"{place:20} {lines[place]:10,} {files[place]:6} {classes[place]:8}")
    print(f"{'all':20} {lines.total():10,} {files.total():6} {classes.total():8}")


def documents() -> dict[str, tuple[int, bool]]:
    """(words, whether a program writes it) of each page."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    texts = {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in pages}
    return {name: (len(text.split()), GENERATED.search(text) is not None) for name, text in texts.items()}


def words() -> None:
    """Print the words of each page, the longest first, and the sums by hand and by programs."""
    counted = documents()
    for name, (n, generated) in sorted(counted.items(), key=lambda item: -item[1][0]):
        print(f"{n:6,} {name}{' (generated)' if generated else ''}")
    by_hand = sum(n for n, generated in counted.values() if not generated)
    print(f"by hand: {by_hand:,} words; generated: {sum(n for n, _ in counted.values()) - by_hand:,}")


def smallest_run() -> None:
    """Run six systems with BLEU and MAP in this process, and print what of the project took part."""
    ran: set[tuple[str, str, int]] = set()
    defined: set[str] = set()
    types: set[str] = set()

    def watch(frame: FrameType, event: str, returned: Any) -> None:
        name = frame.f_code.co_filename
        if not name.startswith(str(PACKAGE)):
            return
        if event == "call" and frame.f_code.co_name not in ("<module>",) and not frame.f_code.co_name.startswith("<"):
            if frame.f_code.co_flags & CO_OPTIMIZED:
                ran.add((name, frame.f_code.co_qualname, frame.f_code.co_firstlineno))
            else:
                defined.add(name)
        if event == "return" and type(returned).__module__.startswith("clirbench."):
            types.add(f"{type(returned).__module__}.{type(returned).__qualname__}")

    reference = (PACKAGE / "data" / "demo" / "reference.txt").read_text(encoding="utf-8").split("\n")[:60]
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made, "data")
        (folder / "systems").mkdir(parents=True)
        (folder / "reference.txt").write_text("".join(f"{line}\n" for line in reference), encoding="utf-8")
        for n in range(2, 8):
            dropped = (" ".join(w for i, w in enumerate(line.split()) if i % n) for line in reference)
            text = "".join(f"{line}\n" for line in dropped)
            (folder / "systems" / f"every{n}.txt").write_text(text, encoding="utf-8")
        keys = ["+experiment=folder", f"folder={folder}", "metric=[BLEU]", "measures=[MAP]", "engine=serial"]
        sys.argv = ["clirbench", *keys, f"hydra.run.dir={made}/run", f"paths.cache={made}/cache"]
        sys.path[0] = str(ROOT)  # not the folder of this file, whose statistics.py would hide the library of that name
        sys.setprofile(watch)
        from clirbench.__main__ import main

        main()
        sys.setprofile(None)
    labs, files = sorted(name for name in sys.modules if name.startswith("clirbench.labs.")), {name for name, *_ in ran}
    print(f"files that run a function: {len(files)}; that only define a class: {len(defined - files)}")
    print(f"functions: {len(ran)}\ntypes of the project that are returned: {len(types)}")
    print(f"modules of laboratories that are loaded: {len(labs)} {' '.join(labs)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", action="store_true", help="count what the smallest run meets, too")
    parser.add_argument("--documents", action="store_true", help="count the words of the pages instead")
    options = parser.parse_args()
    (words if options.documents else sizes)()
    if options.run:
        smallest_run()
