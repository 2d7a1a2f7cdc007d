"""A laboratory of somebody's, as a package with an entry point: found, not loaded, and used as ours are."""

import os
import subprocess
import sys
from ast import literal_eval
from pathlib import Path
from textwrap import dedent

import pytest

from tests.conftest import PACKAGE, Cli, put

PAGE = (PACKAGE / "CONTRIBUTING.md").read_text(encoding="utf-8")
METRIC = PAGE.partition("`mine/first_word.py`:")[2].partition("```python\n")[2].partition("```")[0]
"""The example of the page."""
ANALYSIS = """
    from collections.abc import Sequence
    from dataclasses import dataclass

    from clirbench.pages import Table
    from clirbench.result import Result


    @dataclass(frozen=True)
    class Row:
        system: str
        letters: int


    @dataclass(frozen=True)
    class Letters:
        more: int = 0

        def tables(self, result: Result) -> Sequence[Table]:
            rows = [Row(system, len(system) + self.more) for system in result.board.systems]
            return (Table.of("letters", "Letters of names", Row, rows, ["Counted."]),)
"""
RELEVANCE = """
    from collections.abc import Sequence
    from dataclasses import dataclass
    from typing import ClassVar

    from clirbench.types import Documents, Qrels, Run, Topic


    @dataclass(frozen=True)
    class Panel:
        judged_by: ClassVar[str] = "people"
        signature: str = "panel:1"

        def judge(self, ideal: Run, documents: Documents, topics: Sequence[Topic]) -> Qrels:
            matched = [t.topic_id for t in topics if ideal.ranking(t.topic_id)]
            return Qrels({topic_id: {ideal.ranking(topic_id)[-1]: 1} for topic_id in matched})
"""
FILES = {
    "otherlab/__init__.py": "raise ImportError('loaded')  # a laboratory is found without being loaded\n",
    "otherlab_code/__init__.py": "",
    "otherlab_code/metric.py": METRIC,
    "otherlab_code/analysis.py": ANALYSIS,
    "otherlab_code/relevance.py": RELEVANCE,
    "otherlab/conf/metric/FirstWord.yaml": "FirstWord:\n  _target_: otherlab_code.metric.FirstWord\n",
    "otherlab/conf/analyses/letters.yaml": "letters:\n  _target_: otherlab_code.analysis.Letters\n  more: 1\n",
    "otherlab/conf/relevance/panel.yaml": "_target_: otherlab_code.relevance.Panel\n",
    "otherlab_code/conf/metric/ThirdWord.yaml": "",
    "otherlab_code/commands/greet.py": '"""`clirbench greet NAME`: Says hello.\n\nMore."""\n\n'
    "def main(arguments):\n    print('hello', *arguments)\n    return 3\n",
    "otherlab_code/commands/_private.py": "",
}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder of installed packages that holds two laboratories."""
    folder = tmp_path / "site"
    for name, text in FILES.items():
        put(folder / name, dedent(text))
    install(folder, "other", "otherlab")
    install(folder, "code", "otherlab_code")
    return folder


def install(site: Path, name: str, package: str) -> None:
    info = site / f"{name}-1.dist-info"
    put(info / "METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    put(info / "entry_points.txt", f"[clirbench.labs]\n{name} = {package}\n")


def program(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PACKAGE), str(site)])}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=site.parent, env=environment, capture_output=True, text=True, check=False)


def test_a_run_with_a_metric_an_analysis_and_judgments_of_a_laboratory(site: Path, small_texts: Path) -> None:
    keys = [f"folder={small_texts}", "metric=[BLEU,FirstWord]", "analysis=[letters]", "analyses.letters.more=5"]
    keys += ["relevance=panel", "measures=[MAP,nDCG]", "topics.n=10", "engine=serial", "hydra.run.dir=out"]
    done = Cli(site.parent, site).succeed(*keys)
    systems = (site.parent / "out" / "systems.tsv").read_text().split("\n")
    assert systems[0].split("\t")[:4] == ["system", "BLEU", "FirstWord", "MAP"]
    letters = (site.parent / "out" / "letters.tsv").read_text()
    assert "every2\t11" in letters  # six letters and five more
    assert "pseudo-relevance" not in done.stdout + (site.parent / "out" / "report.md").read_text()


def test_its_commands_are_commands(site: Path) -> None:
    done = Cli(site.parent, site)("greet", "you")
    assert (done.returncode, done.stdout) == (3, "hello you\n")
    assert "_private" not in Cli(site.parent, site)("nothing").stderr
    said = Cli(site.parent, site)("--help").stdout
    assert "\ngreet      Says hello\n" in said
    assert "\ncompare    what differs between two runs: " in said


def test_nothing_of_it_is_loaded_by_a_run_that_does_not_use_it(site: Path, small_texts: Path) -> None:
    code = (
        "import sys, clirbench as cb\n"
        f"cb.run('folder', folder={str(small_texts)!r}, metric=['BLEU'], measures=['MAP', 'RBO'], topics__n=10,"
        " engine='serial')\n"
        "print({name for name in sys.modules if name.startswith(('otherlab', 'clirbench.labs.'))})"
    )
    done = program(site, "-c", code)
    assert done.returncode == 0, done.stderr
    loaded = {name.removeprefix("clirbench.labs.") for name in literal_eval(done.stdout)}
    # What joins every run, and no more of their laboratories.
    assert loaded == {"collections", "collections.memory"}


def test_an_analysis_joins_the_runs_of_its_condition_that_do_not_leave_it_out(site: Path, small_texts: Path) -> None:
    (site / "otherlab" / "conf" / "joining.yaml").write_text("letters:\n  more: 3\n")
    keys = [f"folder={small_texts}", "metric=[BLEU]", "measures=[MAP]", "topics.n=10", "engine=serial"]
    cases = {"joins": ([], 9), "asked": (["analysis=[letters]"], 7), "set": (["analyses.letters.more=5"], 11)}
    for name, (more, letters) in cases.items():  # six letters, and as many more as is set
        Cli(site.parent, site).succeed(*keys, *more, f"hydra.run.dir={name}")
        assert f"every2\t{letters}" in (site.parent / name / "letters.tsv").read_text()
    for name, more in {"without": ["analyses.letters=null"], "files": []}.items():
        if name == "files":
            (site / "otherlab" / "conf" / "joining.yaml").write_text("letters: {_when_: [systems.translates]}\n")
        Cli(site.parent, site).succeed(*keys, *more, f"hydra.run.dir={name}")
        assert not (site.parent / name / "letters.tsv").exists()


def test_a_missing_package_is_one_clear_line(site: Path) -> None:
    install(site, "third", "elsewhere.lab")
    done = Cli(site.parent, site)("+experiment=scores", "check=true")
    assert done.returncode == 1
    assert done.stderr == "error: laboratory 'third': its package elsewhere.lab is missing; install or uninstall it\n"


def test_two_commands_of_one_name(site: Path) -> None:
    put(site / "otherlab" / "commands" / "greet.py", "")
    done = Cli(site.parent, site)("greet")
    assert done.returncode == 1
    assert done.stderr == (
        "error: command 'greet': otherlab_code.commands.greet and otherlab.commands.greet have this name; "
        "uninstall one of them\n"
    )
