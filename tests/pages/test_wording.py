"""Numbers as WRITING asks for them, and that nothing else makes digits."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from clirbench.pages import FORMATS, fixed, grouped, interval, listed, many, number, short, signed

NAN, INF = float("nan"), float("inf")


def test_numbers_of_sentences() -> None:
    assert [number(x) for x in (-0.25, 1.2, NAN, INF)] == ["-.250", "1.200", "undefined", "more than was tried"]
    assert (fixed(0.867, 2), short(0.05), short(1234567.0, 3), signed(0.01234)) == (
        "0.87",
        "0.05",
        "1.23e+06",
        "+0.0123",
    )
    assert (grouped(23340), grouped(1234.56, 1), interval(0.714, 0.95, 2)) == ("23,340", "1,234.6", "[.71, .95]")


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("number", ["0.8670", "-0.0210", "99.9900", "150.0", "", "∞", "-∞"]),
        ("score", ["0.87", "-0.02", "99.99", "150.00", "", "inf", "-inf"]),
        ("coefficient", [".867", "-.021", "99.990", "150.000", "undefined", *["more than was tried"] * 2]),
        ("difference", ["+0.867", "-0.021", "+100", "+150", "", "+inf", "-inf"]),
    ],
)
def test_formats_of_columns(name: str, texts: list[str]) -> None:
    assert [FORMATS[name](value) for value in (0.867, -0.021, 99.99, 150.0, NAN, INF, -INF)] == texts


def test_lists() -> None:
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(list("abcdefgh"), 2) == "a, b and 6 more"
    assert listed([]) == ""
    assert (many(1, "system"), many(2, "system")) == ("1 system", "2 systems")


PACKAGE = Path(__file__).resolve().parents[2] / "clirbench"
SHOWING = ("analyses", "api", "columns", "commands", "experiment", "report", "result", "statistics")
"""Rooms of the core whose numbers people read. In the parts below them digits are in names, signatures and errors."""
LABORATORIES = ("collections", "papers", "planning", "training", "watching")
DIGITS = re.compile(r"[+<>^0-9 ]*,?(\.\S*)?[eEfFgGn%]|[+<>^0-9 ]*,\S*|[+<>^0-9 ]*\.\S*[eEfFgG%]")
PERCENT = re.compile(r"%[-+ 0-9]*(\.\d+)?[feg]")
TEMPLATE = re.compile(r"\{\w*:[+<>^0-9]*,?(\.\d+)?[fgGeE,%]\}")


def digits(source: str) -> Iterator[int]:
    """The lines in which digits of a number are made: a format in braces, `format`, `%.3f`, `round` as a text."""
    return (node.lineno for node in ast.walk(ast.parse(source)) if makes_digits(node))  # type: ignore[attr-defined]


def makes_digits(node: ast.AST) -> bool:
    match node:
        case ast.FormattedValue(value=ast.Call(func=ast.Name("round"), args=[_, _])):
            return True
        case ast.FormattedValue(format_spec=ast.JoinedStr(values=parts)):
            spec = "".join(str(part.value) if isinstance(part, ast.Constant) else "1" for part in parts)
            return DIGITS.fullmatch(spec) is not None
        case ast.Call(func=ast.Name("format")) | ast.Call(ast.Name("str"), [ast.Call(ast.Name("round"), [_, _])]):
            return True
        case ast.Constant(value=str(text)):
            return TEMPLATE.search(text) is not None
        case ast.BinOp(left=ast.Constant(value=str(text)), op=ast.Mod()):
            return PERCENT.search(text) is not None
    return False


def shown() -> list[Path]:
    """The modules whose numbers people read."""
    rooms = [*SHOWING, *(f"labs/{name}" for name in LABORATORIES)]
    files = [path for name in rooms for path in ((PACKAGE / name).rglob("*.py"), [PACKAGE / f"{name}.py"])]
    found = [path for some in files for path in some if path.is_file()]
    names = {path.relative_to(PACKAGE).as_posix(): path for path in found}
    # Like the core's, their numbers are in signatures.
    signed = tuple(f"labs/papers/{name}.py" for name in ("word_metrics", "query_aware"))
    return [path for name, path in names.items() if not name.startswith(signed)]


def test_no_digits_are_made_outside_of_wording() -> None:
    found = [
        f"{path.relative_to(PACKAGE)}:{line}" for path in shown() for line in digits(path.read_text(encoding="utf-8"))
    ]
    assert len(shown()) > 60
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        'f"{x:.3f}"', 'f"{x:g}"', 'f"{x:+.{n}g}"', 'f"{x:10.1f}"', 'f"{x:,}"', 'f"{100 * x:.0%}"', "format(x, '.3f')",
        '"{:.2f}".format(x)', '"%.3f" % x', "str(round(x, 3))", 'f"{round(x, 3)}"',
    ],
)  # fmt: skip
def test_digits_are_found_in_every_spelling(line: str) -> None:
    assert list(digits(line)) == [1]


def test_texts_and_whole_numbers_are_no_digits() -> None:
    assert list(digits("f'{name:<{width}} {n} {reason!r:.60} {now:%H:%M:%S}'; round(x, 3); '{a: b}'")) == []
