"""Write what the pages' commands print now into the pages: `python -m tests.docs.write [PAGE ...]`.

A page is followed as `test_commands.py` follows it. Where a block shows something else, its lines are replaced by the
printed ones: a line or a text that the page leaves out as `...` stays left out.
The difference is there for its writer to read: `git diff`.
"""

import re
import subprocess
import sys
import tempfile
from difflib import SequenceMatcher
from pathlib import Path

from tests.docs.pages import ROOT, Block, Command, Session, blocks, commands, matches, pages
from tests.docs.test_commands import PAGES, WITH_COMMANDS, prepare

STAMP = re.compile(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d-\d+")


def merged(shown: tuple[str, ...], printed: str, folder: Path) -> list[str]:
    """The lines to show: those of `shown` that still hold, printed ones elsewhere; what `...` leaves out stays so."""
    bare = list(shown)
    while bare and not bare[-1]:
        bare.pop()
    said = [STAMP.sub("...", line.rstrip().replace(str(folder), "...")) for line in printed.rstrip("\n").split("\n")]
    # A printed line that a line of the page stands for is written as that line.
    held = [line for line in bare if line != "..."]
    said = [next((line for line in held if matches((line,), one)), one) for one in said]
    kept: list[str] = []
    for kind, i, i_end, j, j_end in SequenceMatcher(None, bare, said, autojunk=False).get_opcodes():
        if kind == "equal" or "..." not in bare[i:i_end]:
            kept += said[j:j_end]
        else:  # as many lines before and after the dots as the page had there
            before, after = bare[i:i_end].index("..."), bare[i:i_end][::-1].index("...")
            new = said[j:j_end]
            kept += [*new[:before], "...", *new[len(new) - after :]] if len(new) > before + after else [*new, "..."]
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
