"""Every command of the documentation and of README.md runs, and prints what the pages show."""

import re
import shutil
from pathlib import Path

import pytest

import clirbench as cb
from tests.conftest import write_lines
from tests.docs.materials import MATERIALS
from tests.docs.pages import ROOT, Block, Command, Session, blocks, commands, matches, pages

PAGES = {str(page.relative_to(ROOT)): page for page in pages()}
WITH_COMMANDS = [name for name, page in PAGES.items() if any(block.language == "console" for block in blocks(page))]
LONG = ("neubig", "how-to/cluster", "how-to/learned-metrics", "how-to/retrievers", "reference/command-line")
"""Pages with the most or the longest commands are followed for a release; all others for every change."""
# What a test cannot do: it would need a network, another machine, or the reader's own checkout.
NOT_RUN = ("pip install ", "git clone ", "cd ", "source ", "sbatch ")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.release) if n[5:-3] in LONG else n for n in WITH_COMMANDS]
)
def test_a_page_is_followed_from_its_first_line_to_its_last(name: str, tmp_path: Path) -> None:
    session = Session(tmp_path)
    session.open()
    for block in blocks(PAGES[name]):
        prepare(block, tmp_path)
        if block.language == "console":
            for number, command in enumerate(found := commands(block), 1):
                expected = int(block.directives.get("exit", 0)) if number == len(found) else 0
                follow(session, command, block.directives.get("small", ""), expected)


def prepare(block: Block, folder: Path) -> None:
    for name in block.directives.get("materials", "").split():
        MATERIALS[name](folder)
    if block.title:
        write_lines(folder / block.title, block.lines)


def follow(session: Session, command: Command, small: str, expected: int) -> None:
    """Run one command; where overrides make it small, its output is another one and is not compared."""
    text = command.text
    if small and "-m clirbench" in text:
        text = f"{text} {small}"
    code, printed = session.run(text)
    assert code == expected, f"{command.where}: $ {text}\n{printed}"
    if command.shown and not small:
        assert matches(command.shown, printed), f"{command.where}: $ {text}\nprinted\n{printed}"


@pytest.mark.parametrize("name", PAGES)
def test_no_command_stands_where_it_is_not_run(name: str) -> None:
    for block in blocks(PAGES[name]):
        if block.language == "console":
            assert commands(block), f"{block.where}: a console block without a command"
        elif block.language in ("sh", "bash", "shell"):
            for line in filter(None, block.lines):
                assert line.startswith((*NOT_RUN, "#")), f"{block.where}: {line}: write it as a console block"
        elif not block.title:
            hidden = [line for line in block.lines if "python -m clirbench" in line and not line.startswith("#")]
            assert not hidden, f"{block.where}: {hidden}: write it as a console block"


def test_readme_s_answer_is_the_program_s() -> None:
    quoted = " ".join(line.removeprefix("> ") for line in README.split("\n") if line.startswith("> "))
    assert cb.run("europarl_csen_published").answer.startswith(quoted)


README = (ROOT / "README.md").read_text(encoding="utf-8")
# What README's placeholders stand for in the folder where its commands are tried.
PLACEHOLDERS = {
    r"\bclirbench DIR\b": "clirbench talks",
    r"\bclirbench DATA\b": "clirbench data",
    r"\[FILE\.tsv\]": "[study.tsv]",
    r"'scores.measures=\[MAP,RBO\]'": "'scores.measures=[MAP]'",
    r"/exp/run": "exp/run",
    r"clirbench\.fetch NAME": "clirbench.fetch gov2",
}


def readme_commands() -> list[str]:
    """The lines of README's indented and fenced blocks that call the program, continued lines joined."""
    joined = README.replace("\\\n", " ")
    held = [line.strip().removeprefix("$ ") for line in joined.split("\n") if re.match(r"(    |\$ )", line)]
    inline = re.findall(r"`(python -m clirbench[^`]*)`", README)
    return [re.split(r"\s+#\s", c)[0] for c in (*held, *inline) if c.startswith(("python -m clirbench", "make"))]


@pytest.mark.slow
def test_readme_s_commands_are_understood(tmp_path: Path) -> None:
    """Each with check=true, which reads and aligns everything and runs nothing."""
    session = Session(tmp_path)
    session.open()
    for name in ("talks", "sweep", "scores"):
        MATERIALS[name](tmp_path)
    shutil.copytree(tmp_path / "talks", tmp_path / "wmt22" / "de-en")
    for command in dict.fromkeys(readme_commands()):
        text = command
        for placeholder, value in PLACEHOLDERS.items():
            text = re.sub(placeholder, lambda _, value=value: value, text)
        left = re.search(r"\b(DIR|FILE|DATA|NAME)\b", text)
        assert left is None, f"{command}: what is {left and left[0]} to stand for?"
        if text.startswith("make"):
            code, printed = session.run(f"{text} --dry-run BIN=.venv/bin")
        else:
            code, printed = session.run(text if " -m clirbench." in text else f"{text} check=true")
        assert code == 0, f"$ {text}\n{printed}"
