"""Write what the pages' commands print now into the pages: `python -m tests.docs.write [PAGE ...]`.

A page is followed as `test_commands.py` follows it. Where a block shows something else, its lines are replaced by the
printed ones with as few changes as there can be: a line or a text that the page leaves out as `...` stays left out,
and where many lines are new before one that stands, they are left out too.
The difference is there for its writer to read: `git diff`.
"""

import re
import subprocess
import sys
import tempfile
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path

from tests.docs.pages import ROOT, Block, Command, Session, blocks, commands, matches, pages
from tests.docs.test_commands import PAGES, WITH_COMMANDS, prepare

STAMP = re.compile(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d-\d+")


def merged(shown: tuple[str, ...], printed: str, folder: Path) -> list[str]:
    """The lines to show: those of `shown` that still hold, printed ones elsewhere, by the cheapest alignment."""
    bare = list(shown)
    while bare and not bare[-1]:
        bare.pop()
    said = [STAMP.sub("...", line.rstrip().replace(str(folder), "...")) for line in printed.rstrip("\n").split("\n")]

    @cache
    def holds(i: int, j: int) -> float:
        """What it costs to show printed line j where line i of the page stood."""
        if "..." in said[j] and said[j] == bare[i]:
            return 0.0
        return 0.0 if matches((bare[i],), said[j]) else 0.5 + 6 * (1 - SequenceMatcher(None, bare[i], said[j]).ratio())

    # best[i][j]: the cheapest way to show said[j:] by what bare[i:] has, and the first step of it.
    width, height = len(said), len(bare)
    best: list[list[tuple[float, str]]] = [[(0.0, "end")] * (width + 1) for _ in range(height + 1)]
    for i in range(height, -1, -1):
        for j in range(width, -1, -1):
            steps = []
            if i < height and bare[i] == "...":
                steps.append((best[i + 1][j][0], "dots"))
                if j < width:
                    steps.append((best[i][j + 1][0] + 0.01, "absorb"))
            elif i < height:
                steps.append((best[i + 1][j][0] + 6, "drop"))
                if j < width:
                    steps.append((best[i + 1][j + 1][0] + holds(i, j), "same"))
            if j < width:
                steps.append((best[i][j + 1][0] + 0.4, "add"))
                steps += [(best[i][end][0] + 1.5 + 0.01 * (end - j), f"leave out {end}") for end in range(j + 4, width)]
            if steps:
                best[i][j] = min(steps)
    kept: list[str] = []
    i = j = 0
    while (step := best[i][j][1]) != "end":
        if step == "dots":
            kept.append("...")
        elif step == "same":
            kept.append(bare[i] if holds(i, j) == 0 else said[j])
        elif step == "add":
            kept.append(said[j])
        elif step.startswith("leave out "):
            kept.append("...")
            j = int(step.removeprefix("leave out "))
        i += step in ("dots", "drop", "same")
        j += step in ("absorb", "same", "add")
    return [*kept, *shown[len(bare) :]]


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
