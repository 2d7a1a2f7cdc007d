"""Write what the pages' commands print now into the pages: `python -m tests.docs.write [PAGE ...]`.

A page is followed as `test_commands.py` follows it. Where a block shows something else, its lines are replaced by the
printed ones that are most alike; lines that the page leaves out as `...` stay left out.
The difference is there for its writer to read: `git diff`.
"""

import re
import subprocess
import sys
import tempfile
from difflib import SequenceMatcher
from math import inf
from pathlib import Path

from tests.docs.pages import ROOT, Block, Command, Session, blocks, commands, matches, pages
from tests.docs.test_commands import PAGES, WITH_COMMANDS, prepare

STAMP = re.compile(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d-\d+")


def merged(shown: tuple[str, ...], printed: str, folder: Path) -> list[str]:
    """The lines to show: what a line `...` leaves out stays out; stretches between are found in what is printed.

    A stretch keeps its number of lines; a `...` inside a line is lost where the line changes. The writer mends both.
    """
    bare = list(shown)
    while bare and not bare[-1]:
        bare.pop()
    lines = [STAMP.sub("...", line.rstrip().replace(str(folder), "...")) for line in printed.rstrip("\n").split("\n")]
    # A printed line that a line of the page stands for is written as that line.
    held = [line for line in bare if line != "..."]
    lines = [next((line for line in held if matches((line,), one)), one) for one in lines]
    if "..." not in bare or len(lines) < len(held):
        return [*lines, *shown[len(bare) :]]
    parts: list[list[str]] = [[]]
    for line in bare:
        if line == "...":
            parts.append([])
        else:
            parts[-1].append(line)
    kept: list[str] = []
    for number, start in enumerate(places(parts, lines)):
        kept += [*["..."][: bool(number)], *lines[start : start + len(parts[number])]]
    return [*kept, *shown[len(bare) :]]


def places(parts: list[list[str]], lines: list[str]) -> list[int]:
    """Where each part is among the lines, in this order and as alike as can be; the first is at the start, the last at
    the end."""
    reach = range(len(lines) + 1)
    best: list[float] = [0.0] + [-inf] * len(lines)
    """The highest sum of likenesses of the parts so far, of which the last one ends at a line."""
    starts: list[list[int]] = []
    for number, part in enumerate(parts):
        only = {0} if number == 0 else {len(lines) - len(part)} if number == len(parts) - 1 else set(reach)
        before = [max(reach[: end + 1], key=lambda j: best[j]) for end in reach]
        ends = [-inf] * len(best)
        for start in sorted(only & set(range(len(lines) - len(part) + 1))):
            alike = sum(SequenceMatcher(None, *pair).ratio() for pair in zip(part, lines[start:], strict=False))
            ends[start + len(part)] = best[before[start]] + alike
        starts.append(before)
        best = ends
    found: list[int] = []
    end = len(lines)
    for part, before in zip(parts[::-1], starts[::-1], strict=True):
        found.append(end - len(part))
        end = before[found[-1]]
    return found[::-1]


def rewritten(block: Block, session: Session) -> list[str]:
    """The block's lines with what its commands print now; raises `RuntimeError` where one ends with another code."""
    held: list[str] = []
    position = 0
    for number, command in enumerate(found := commands(block), 1):
        length = command.text.count("\n") + 1
        held += block.lines[position : position + length]
        position += length + len(command.shown)
        held += followed(block, command, session, last=number == len(found))
    return held


def followed(block: Block, command: Command, session: Session, *, last: bool) -> list[str]:
    small = block.directives.get("small", "")
    text = f"{command.text} {small}" if small and "-m clirbench" in command.text else command.text
    code, printed = session.run(text)
    if code != (int(block.directives.get("exit", 0)) if last else 0):
        raise RuntimeError(f"{command.where}: $ {text}\nended with {code}\n{printed}")
    if not command.shown or small or matches(command.shown, printed):
        return list(command.shown)
    return merged(command.shown, printed, session.folder)


def write(page: Path) -> bool:
    """Follow one page and write it again; whether it changed."""
    lines = page.read_text(encoding="utf-8").split("\n")
    changes: list[tuple[int, int, list[str]]] = []
    with tempfile.TemporaryDirectory(prefix="clirbench-page-") as name:
        session = Session(Path(name))
        session.open()
        for block in blocks(page):
            prepare(block, session.folder)
            if block.language == "console" and (new := rewritten(block, session)) != list(block.lines):
                start = int(block.where.rsplit(":", 1)[1])
                indent = re.match(" *", lines[start - 1])[0]  # type: ignore[index]
                changes.append((start, len(block.lines), [f"{indent}{line}".rstrip() for line in new]))
    for start, length, new in reversed(changes):
        lines[start : start + length] = new
    page.write_text("\n".join(lines), encoding="utf-8")
    return bool(changes)


if __name__ == "__main__":
    wanted = sys.argv[1:]
    unknown = set(wanted) - {str(page.relative_to(ROOT)) for page in pages()}
    if unknown:
        raise SystemExit(f"no such page: {', '.join(sorted(unknown))}")
    failed = []
    for one in wanted or WITH_COMMANDS:
        try:
            print(one, "written" if write(PAGES[one]) else "stands", flush=True)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            print(f"{one} is left as it is: {error}", flush=True)
            failed.append(one)
    sys.exit(f"not written: {', '.join(failed)}" if failed else 0)
