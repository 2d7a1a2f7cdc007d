"""A run's folder is verified: its tables follow from its texts, or what does not is named, whoever made the seal."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import clirbench as cb
from clirbench.commands.verify import main
from clirbench.files.manifest import seal
from clirbench.files.run_files import MANIFEST
from clirbench.report.compared.following import not_following
from tests.conftest import PACKAGE, Cli
from tests.waiting import wait_until

SETTINGS: dict[str, Any] = {
    "metric": ["BLEU"], "measures": ["RBO"], "topics__n": 5, "relevance__k": 3, "engine": "serial",
    "correlation__intervals": None,
}  # fmt: skip


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, small_texts: Path) -> Path:
    home = tmp_path_factory.mktemp("verified")
    shutil.copytree(small_texts, home / "texts")
    made = cb.run("folder", folder=home / "texts", paths__cache=home / "cache", **SETTINGS)
    made.save(home / "run")
    return home


@pytest.fixture
def run(world: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(world / "run", tmp_path / "run"))


def forge(run: Path) -> None:
    """Seal a folder as its maker would."""
    sealed = json.loads((run / MANIFEST).read_text())
    (run / MANIFEST).unlink()
    recorded = json.loads((run / "provenance.json").read_text())
    seal(run, run, sealed["clirbench"], recorded["read"])


def edit(path: Path, **changes: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def verified(run: Path, *more: str) -> int:
    return main([str(run), *more])


def test_these_tables_follow_from_these_texts(world: Path, run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verified(run) == 0
    assert capsys.readouterr().out.startswith("These tables follow from these texts: ")


def test_texts_that_have_moved_are_named(world: Path, run: Path, tmp_path: Path, cli: Cli) -> None:
    recorded = json.loads((run / "provenance.json").read_text())
    gone = {str(world / "gone" / Path(path).relative_to(world / "texts")): h for path, h in recorded["read"].items()}
    configuration = json.loads(json.dumps(recorded["configuration"]).replace(str(world / "texts"), str(world / "gone")))
    command = [word.replace(str(world / "texts"), str(world / "gone")) for word in recorded["command"]]
    edit(run / "provenance.json", read=gone, configuration=configuration, command=command)
    for page in run.rglob("*"):
        if page.suffix in (".html", ".md", ".json") and page.name != "provenance.json":
            page.write_text(page.read_text().replace(str(world / "texts"), str(world / "gone")))
    forge(run)
    done = cli("verify", str(run))
    assert (done.returncode, done.stdout) == (1, "")
    assert "docs.tsv: the run read this file, and it is gone; name the folder that holds the inputs now" in done.stderr
    shutil.copytree(world / "texts", tmp_path / "now")
    done = cli("verify", str(run), "--data", "now")
    assert done.returncode == 0, done.stdout + done.stderr
    (tmp_path / "now" / "reference.txt").open("a").write("x\n")
    done = cli("verify", str(run), "--data", "now")
    assert done.returncode == 4
    assert f"{tmp_path}/now/reference.txt: is not what the run read" in done.stdout


def test_a_file_that_changed_is_named_before_anything_is_computed(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (run / "plan.tsv").unlink()
    os.mkfifo(run / "plan.tsv")
    assert verified(run) == 4
    assert capsys.readouterr().out.startswith("these tables do not follow: plan.tsv: is no file, but a pipe")


def test_a_folder_that_is_no_run_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verified(tmp_path) == 1
    assert "not the folder of a finished run: it has no manifest.json" in capsys.readouterr().err


def raised(run: Path) -> None:
    rows = (run / "systems.tsv").read_text().split("\n")
    cells = rows[1].split("\t")
    cells[-1] = str(float(cells[-1]) + 1e-6)
    (run / "systems.tsv").write_text("\n".join([rows[0], "\t".join(cells), *rows[2:]]))


def reworded(run: Path) -> None:
    results = json.loads((run / "results.json").read_text())
    results["answer"] = results["answer"].replace("BLEU", "mine", 1)
    edit(run / "results.json", answer=results["answer"])


def read_less(run: Path) -> None:
    read = json.loads((run / "provenance.json").read_text())["read"]
    edit(run / "provenance.json", read={path: sha256 for path, sha256 in read.items() if "every9" not in path})


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (raised, "systems.tsv: line 2: "),
        (reworded, "results.json: answer: "),
        (read_less, "provenance.json: "),
        (lambda run: edit(run / "results.json", findings="text"), "results.json"),
        (lambda run: edit(run / "provenance.json", signatures={"BLEU": "mine"}), "provenance.json: signatures.BLEU: "),
        (lambda run: edit(run / "provenance.json", read="text"), "provenance.json"),
        (lambda run: (run / "decision.tsv").write_text("system\n"), "decision.tsv: the inputs do not give this file"),
        (lambda run: (run / "trec" / "qrels.txt").unlink(), "trec/qrels.txt: is missing; the inputs give it"),
        (lambda run: (run / "report.html").write_text("<p>fine</p>"), "report.html: line 1: "),
    ],
    ids=["number", "answer", "input", "findings", "signature", "read", "table", "judgments", "page"],
)  # fmt: skip
def test_a_forger_who_seals_the_folder_again_is_found(
    run: Path, change: Any, name: str, cli: Cli, capsys: pytest.CaptureFixture[str]
) -> None:
    change(run)
    with_marker = [path.name for path in run.iterdir() if not path.name.startswith(".") and path.name != "plan.tsv"]
    (run / ".clirbench").write_text("".join(f"{one}\n" for one in sorted(with_marker)))
    if name not in ("provenance.json",):
        forge(run)
    done = cli("verify", str(run))
    assert done.returncode == 4, done.stdout + done.stderr
    assert name in done.stdout.splitlines()[0]


def test_last_bits_are_no_difference_and_texts_are(tmp_path: Path) -> None:
    for name, text in (("a", "x\t0.1\t7\n"), ("b", "x\t0.10000000000000002\t7\n"), ("c", "x\t0.1\t8\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "t.tsv").write_text(text)
    assert list(not_following(tmp_path / "a", tmp_path / "b", str)) == []
    (line,) = not_following(tmp_path / "a", tmp_path / "c", str)
    assert line.startswith("t.tsv: line 1: ")


@pytest.mark.parametrize(
    ("words", "column", "why"),
    [
        (["+metric.mine._target_=clirbench.labs.models.command_metric.CommandMetric", "+metric.mine.name=mine",
          "+metric.mine.command=[touch,RAN]"], "BLEU, mine", "metric.mine runs a command"),
        (["+metric.mine._target_=os.system", "+metric.mine.command=touch RAN"], "BLEU", "metric.mine is code"),
        (["hydra.searchpath=[file:///tmp]"], "BLEU", "configurations of another folder took part"),
        (["--config-dir=/tmp"], "BLEU", "configurations of another folder took part"),
        (["metric=[Nobodys]"], "BLEU", "unknown metric 'Nobodys'"),
        (["hydra.run.dir=/tmp"], "BLEU", "a recorded run sets no key of Hydra"),
        (["systems=command"], "BLEU", ""),
    ],
)  # fmt: skip
def test_what_a_command_or_foreign_code_made_cannot_be_checked(
    run: Path, words: list[str], column: str, why: str, cli: Cli
) -> None:
    """And nothing of it runs."""
    recorded = json.loads((run / "provenance.json").read_text())
    edit(run / "provenance.json", command=[*recorded["command"], *words])
    forge(run)
    before = sorted(path for path in cli.cwd.rglob("*") if path.parts[-2:][0] != "run")
    done = cli("verify", str(run))
    assert done.returncode == 5, done.stdout + done.stderr
    assert done.stdout.startswith("cannot be checked:\n")
    assert why in done.stdout
    assert not list(cli.cwd.rglob("RAN"))
    assert sorted(path for path in cli.cwd.rglob("*") if path.parts[-2:][0] != "run") == before


def test_a_run_made_in_python_from_objects_cannot_be_checked(tmp_path: Path, cli: Cli) -> None:
    import pandas as pd

    df = pd.DataFrame({"BLEU": [1.0, 2.0, 3.0], "MAP": [0.1, 0.2, 0.3]}, index=["a", "b", "c"])
    cb.correlate(df, measures=["MAP"]).save(tmp_path / "run")
    done = cli("verify", "run")
    assert done.returncode == 5
    assert "  MAP, BLEU: the run was made in Python" in done.stdout or "  BLEU, MAP: the run was made" in done.stdout


def test_another_unicode_version_is_named(run: Path, cli: Cli) -> None:
    edit(run / "provenance.json", unicode="3.2.0")
    forge(run)
    done = cli("verify", str(run))
    assert done.returncode == 0, done.stdout
    assert "made with Unicode 3.2.0, checked with " in done.stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_process_that_computes_ends_with_the_one_that_is_interrupted(
    run: Path, number: signal.Signals, tmp_path: Path
) -> None:
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE), "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-m", "clirbench", "verify", str(run)]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        wait_until(lambda: any(tmp_path.glob("clirbench-verify-*/job.json")))
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        wait_until(lambda: bool(children.read_text().split()))
        (child,) = children.read_text().split()
        process.send_signal(number)
        _, said = process.communicate()
    finally:
        process.kill()
    assert process.returncode == 130, said
    assert not Path(f"/proc/{child}").exists()
    assert not list(tmp_path.glob("clirbench-verify-*"))
