"""A run's folder is verified: its tables follow from its texts, or what does not is named, whoever made the seal."""

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import clirbench as cb
from clirbench.files.run_files import MANIFEST, broken
from clirbench.labs.verifying.commands.verify import main
from clirbench.labs.verifying.recomputing import walk
from tests.conftest import PACKAGE, Cli, put
from tests.labs.verifying.test_forgeries import SETTINGS, reseal, set_in
from tests.waiting import begun, wait_until


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


Verify = Callable[..., tuple[int, str]]


@pytest.fixture
def verify(capsys: pytest.CaptureFixture[str]) -> Verify:
    def run_it(run: Path, *more: str) -> tuple[int, str]:
        status = main([str(run), *more])
        printed = capsys.readouterr()
        return status, printed.out + printed.err

    return run_it


def test_texts_that_have_moved_are_named(world: Path, run: Path, tmp_path: Path, verify: Verify) -> None:
    recorded = json.loads((run / "provenance.json").read_text())
    gone = {str(world / "gone" / Path(path).relative_to(world / "texts")): h for path, h in recorded["read"].items()}
    configuration = json.loads(json.dumps(recorded["configuration"]).replace(str(world / "texts"), str(world / "gone")))
    command = [word.replace(str(world / "texts"), str(world / "gone")) for word in recorded["command"]]
    set_in("provenance.json", read=gone, configuration=configuration, command=command)(run)
    for page in run.rglob("*"):
        if page.suffix in (".html", ".md", ".json") and page.name != "provenance.json":
            text = page.read_text().replace(str(world / "texts"), str(world / "gone"))
            page.write_text(text.replace(f"{world.name}/texts", f"{world.name}/gone"))  # as titles and paper.md name it
    reseal(run)
    status, said = verify(run)
    assert status == 1
    assert "docs.tsv: the run read this file, and it is gone; name the folder that holds the inputs now" in said
    shutil.copytree(world / "texts", tmp_path / "now")
    status, said = verify(run, "--data", str(tmp_path / "now"))
    assert status == 0, said
    changed = tmp_path / "now" / "reference.txt"
    changed.write_text(changed.read_text() + "x\n")
    status, said = verify(run, "--data", str(tmp_path / "now"))
    assert status == 4
    assert f"{changed}: is not what the run read" in said


def test_two_references_of_a_folder_that_moved(cli: Cli, small_folder: Path, verify: Verify) -> None:
    """corpus.part=.../A-B names two references and no folder; the folder is called as BLEU's smoothing is."""
    here, now = cli.cwd / "exp" / "wmt21" / "de-en", cli.cwd / "now" / "wmt21" / "de-en"
    shutil.copytree(small_folder, here)
    shutil.copy(here / "reference.txt", here / "reference-B.txt")
    (here / "reference.txt").rename(here / "reference-A.txt")
    parts = ["+experiment=wmt_part", f"paths.mirror={here.parents[1]}", "corpus.part=wmt21/de-en/A-B"]
    command = [*parts, "topics.n=8", "metric=[BLEU]", "measures=[MAP]"]
    cli.succeed(*command, "relevance.k=2", "hydra.run.dir=run")
    assert "## Set-up of wmt21/de-en/A-B\n" in (cli.cwd / "run" / "paper.md").read_text(encoding="utf-8")
    shutil.move(here.parents[1], now.parents[1])
    shutil.move(cli.cwd / "run", cli.cwd / "moved")
    status, said = verify(cli.cwd / "moved", "--data", str(now.parents[1]))
    assert status == 0, said
    status, said = verify(cli.cwd / "moved", "--data", str(now / "systems"))
    assert (status, said.startswith(f"error: {now / 'systems'}: has no ")) == (1, True), said


def test_a_file_that_changed_is_named_before_anything_is_computed(run: Path, verify: Verify) -> None:
    (run / "plan.tsv").unlink()
    os.mkfifo(run / "plan.tsv")
    status, said = verify(run)
    assert status == 4
    assert said.startswith("these tables do not follow: plan.tsv: is no file, but a pipe")


def test_what_is_missing_is_an_error_that_says_what_to_do(run: Path, tmp_path: Path, verify: Verify) -> None:
    """Also where the inputs are still where they were."""
    for folder, data, said in (
        (tmp_path, (), "not the folder of a finished run: it has no manifest.json"),
        (run, ("--data", str(tmp_path / "nowhere")), "nowhere: no such folder; name the folder that holds"),
        (run, ("--data", str(run / "trec")), "trec: has no docs.tsv; name the folder that holds"),
    ):
        status, printed = verify(folder, *data)
        assert (status, said in printed) == (1, True), printed


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("x\t0.1\t7", ""),
        ("x\t0.10000000000000002\t7", ""),
        ("x\t0.1\t8", "line 2: "),
        ("x\t0.1\t7\t", "line 2: "),
        ("0.10000000000000002\t0.1\t7", "line 2: "),
    ],
)
def test_last_bits_of_numbers_are_no_difference_and_texts_are(tmp_path: Path, row: str, said: str) -> None:
    """Which columns hold numbers is what results.json declares."""
    first = "0.1" if row.startswith("0.1") else "x"
    for name, rows in (("a", row), ("b", f"{first}\t0.1\t7")):
        put(tmp_path / name / "t.tsv", f"name\tvalue\tn\n{rows}\n")
        declared = {"t": {"columns": ["name", "value", "n"], "text": ["name"]}}
        (tmp_path / name / "results.json").write_text(json.dumps({"tables": declared}))
    line = dict(walk(tmp_path / "a", tmp_path / "b", str))["t.tsv"]
    assert line.startswith(said) if said else line == ""


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["+metric.mine._target_=clirbench.labs.models.metric.ProgramMetric", "+metric.mine.name=mine",
          "+metric.mine.command=[touch,RAN]"], "metric.mine runs a command"),
        (["+metric.mine._target_=os.system", "+metric.mine.command=touch RAN"], "metric.mine is code"),
        (["hydra.searchpath=[file:///tmp]"], "configurations of another folder took part"),
        (["--config-dir=/tmp"], "configurations of another folder took part"),
        (["metric=[Nobodys]"], "unknown metric 'Nobodys'"),
        (["hydra.run.dir=/tmp"], "a recorded run sets no key of Hydra"),
        (["systems=command"], ""),
    ],
)  # fmt: skip
def test_what_a_command_or_foreign_code_made_cannot_be_checked(
    run: Path, words: list[str], why: str, verify: Verify, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nothing of it runs."""
    recorded = json.loads((run / "provenance.json").read_text())
    set_in("provenance.json", command=[*recorded["command"], *words])(run)
    reseal(run)
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    status, said = verify(run)
    assert status == 5, said
    assert said.startswith("cannot be checked:\n  ")
    assert why in said
    assert sorted(tmp_path.rglob("*")) == before


def test_a_run_made_in_python_from_objects_cannot_be_checked(tmp_path: Path, verify: Verify) -> None:
    import pandas as pd

    df = pd.DataFrame({"BLEU": [1.0, 2.0, 3.0], "MAP": [0.1, 0.2, 0.3]}, index=["a", "b", "c"])
    cb.correlate(df, measures=["MAP"]).save(tmp_path / "run")
    status, said = verify(tmp_path / "run")
    assert status == 5
    assert "  the run was made in Python" in said


def test_what_is_interrupted_leaves_nothing(run: Path, tmp_path: Path) -> None:
    process = begun(tmp_path, "verify", str(run), TMPDIR=str(tmp_path))
    try:
        wait_until(lambda: any(tmp_path.glob("clirbench-verify-*/cache")))
        process.send_signal(signal.SIGTERM)
        said, _ = process.communicate()
    finally:
        process.kill()
    assert process.returncode == 130, said
    assert not list(tmp_path.glob("clirbench-verify-*"))


@pytest.mark.slow
def test_the_demo_follows(cli: Cli) -> None:
    assert cli("hydra.run.dir=demo").returncode == 0
    cli.succeed("verify", "demo")


@pytest.mark.slow
def test_a_job_of_a_sweep_follows(cli: Cli, small_folder: Path) -> None:
    swept = ["metric=[BLEU]", "measures=[RBO]", "topics.n=5", "relevance.k=2,3", "engine=serial"]
    cli.succeed("-m", "+experiment=folder", "folder=small", *swept, "hydra.sweep.dir=swept")
    cli.succeed("verify", "swept/1")


def test_a_signature_is_made_and_checked_as_the_page_says(run: Path, tmp_path: Path) -> None:
    if shutil.which("ssh-keygen") is None:
        pytest.skip("SSH-KEYGEN ABSENT: how a run is signed is not tested")
    page = (PACKAGE / "docs" / "how-to" / "verify.md").read_text(encoding="utf-8")
    sign, check = re.findall(r"^ssh-keygen .*$", page, re.MULTILINE)
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    (tmp_path / "signers").write_text(f"you@example.org {key.with_suffix('.pub').read_text()}")

    def done(line: str) -> int:
        shell = line.replace("~/.ssh/id_ed25519", str(key)).replace("runs/talks", str(run))
        return subprocess.run(shell, shell=True, cwd=tmp_path, capture_output=True, check=False).returncode

    assert (done(sign), done(check)) == (0, 0)
    assert list(broken(run)) == []  # the signature lies beside the seal
    (run / MANIFEST).write_text((run / MANIFEST).read_text() + "\n")
    assert done(check) != 0
