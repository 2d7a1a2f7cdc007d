"""Runs that are done again: the same bytes, or what differs is named."""

import json
from pathlib import Path
from typing import Any

import pytest

from clirbench.commands import rerun
from clirbench.commands.rerun import main, read_provenance, rerun_arguments, whole_paths
from clirbench.errors import InputError
from tests.conftest import Cli

FAST = ["metric=[BLEU]", "measures=[RBO]", "topics.n=5", "relevance.k=3", "engine=serial"]


def made(cli: Cli, *more: str) -> Path:
    cli.succeed("+experiment=folder", "folder=small", *FAST, "hydra.run.dir=out", *more)
    return cli.cwd / "out" / "provenance.json"


class Again:
    """The command `rerun` in this process; what it runs is started by the process that forks."""

    def __init__(self, cli: Cli, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys
        monkeypatch.chdir(cli.cwd)
        monkeypatch.setattr(rerun, "run_clirbench", lambda words: Cli(Path.cwd())(*words).returncode)

    def __call__(self, *given: str, provenance: str = "out/provenance.json") -> tuple[int, list[str], str]:
        status = main([provenance, "--trust", *given])
        shown = self.capsys.readouterr()
        return status, shown.out.splitlines(), shown.err


@pytest.fixture
def again(cli: Cli, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Again:
    return Again(cli, monkeypatch, capsys)


def test_a_run_is_done_again_where_it_was_done_and_where_its_folder_is_now(
    cli: Cli, small_folder: Path, again: Again, monkeypatch: pytest.MonkeyPatch
) -> None:
    provenance = made(cli, "scores.title=a", "paths.cache=kept")
    (cli.cwd / "elsewhere").mkdir()
    there = Cli(cli.cwd / "elsewhere")
    done = there.succeed("rerun", "../out/provenance.json", "--trust")
    (again_in,) = (there.cwd / "runs").iterdir()
    n = len(json.loads(provenance.read_text())["files"])
    assert n >= 8
    last = f"the same bytes: {n} tables of {again_in} are those of ../out/provenance.json"
    assert done.stdout.splitlines()[-1] == last
    assert (again_in / "systems.tsv").read_bytes() == (cli.cwd / "out" / "systems.tsv").read_bytes()

    small_folder.rename(cli.cwd / "elsewhere" / "new")
    monkeypatch.chdir(there.cwd)
    status, _, error = again(provenance="../out/provenance.json")
    assert status == 1
    assert f"{small_folder / 'reference.txt'}: the run read this file, and it is gone" in error
    status, shown, error = again("folder=new", provenance="../out/provenance.json")
    assert status == 0, error
    assert shown[-1].startswith("the same bytes: ")


def test_an_input_that_changed_is_named(cli: Cli, small_folder: Path, again: Again) -> None:
    made(cli)
    changed = small_folder / "systems" / "every9.txt"
    changed.write_text(changed.read_text().replace("the", "a"))
    assert again()[::2] == (1, f"error: {changed}: is not what the run read: its content is another\n")
    status, shown, _ = again("seed=0")
    assert status == 1
    assert shown[-1].startswith("other bytes: correlations.tsv")
    assert "; what differs says clirbench compare out " in shown[-1]


def test_an_experiment_of_ones_own_is_found_again(cli: Cli, small_folder: Path, again: Again) -> None:
    (cli.cwd / "own" / "experiment").mkdir(parents=True)
    (cli.cwd / "own" / "experiment" / "mine.yaml").write_text("# @package _global_\ndefaults: [folder]\nname: mine\n")
    ran = cli("--config-dir=own", "+experiment=mine", "folder=small", *FAST, "hydra.run.dir=out")
    assert ran.returncode == 0, ran.stderr
    status, _, error = again()
    assert status == 0, error


def test_a_file_that_does_not_say_enough_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "provenance.json"
    path.write_text('{"command": [], "configuration": {}, "inputs": {}}')
    with pytest.raises(InputError, match="'files' is missing, 'read' is missing, 'directory' is missing"):
        read_provenance(path)
    path.write_text("[" * 100_000)
    assert main([str(path)]) == 1
    assert "provenance.json: more than 100 lists and objects" in capsys.readouterr().err


def test_what_is_given_anew_takes_the_place_of_what_was_given() -> None:
    command = [
        "python", "-m", "clirbench", "hydra.searchpath=[file:///c]", "+experiment=x", "engine=dask",
        "paths.cache=a", "seed=1",
    ]  # fmt: skip
    assert rerun_arguments(command, ["engine=serial"]) == [
        "hydra.searchpath=[file:///c]", "+experiment=x", "seed=1", "engine=serial",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("word", "whole"),
    [
        ("folder=de-en", 'folder="/home/de-en"'),
        ("languages=de-en", "languages=de-en"),  # a folder is called so, and this is no folder
        ("units=scores.tsv", "units=scores.tsv"),
        ("scores.tables=[scores.tsv,'b.tsv']", "scores.tables=[\"/home/scores.tsv\",'b.tsv']"),
        ("folder=other", "folder=other"),  # nothing in it was read
        ("folder=/home/de-en", 'folder="/home/de-en"'),
        ("corpus.part=de-en/A-B", 'corpus.part="/home/de-en/A-B"'),
        ("systems.pattern=runs/*/ckpt_%step%.txt", 'systems.pattern="/home/runs/*/ckpt_%step%.txt"'),
        ("systems.include=[*]", "systems.include=[*]"),
        ("corpus.scores=[*]", "corpus.scores=[*]"),
        ("hydra.searchpath=[file://own,file:///x]", "hydra.searchpath=[file:///home/own,file:///x]"),
        ("seed=3", "seed=3"),
    ],
)
def test_names_of_inputs_begin_at_the_folder_of_the_run(word: str, whole: str) -> None:
    read = ["/home/de-en/reference.txt", "/home/scores.tsv", "/home/runs/1/ckpt_10.txt"]
    assert whole_paths(word, Path("/home"), read) == whole


def sent(path: Path, *words: str, **changes: Any) -> str:
    """A provenance.json that somebody sent: the command line has these words."""
    made = {
        "command": ["python", "-m", "clirbench", *words], "configuration": {"paths": {"cache": "runs/.cache"}},
        "files": {}, "inputs": {}, "read": {}, "directory": str(path), **changes,
    }  # fmt: skip
    (path / "provenance.json").write_text(json.dumps(made))
    return str(path / "provenance.json")


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The command lines that would be run."""
    lines: list[list[str]] = []
    monkeypatch.setattr(rerun, "run_clirbench", lambda words: lines.append(list(words)) or 0)
    return lines


METRIC = ["+experiment=folder", "folder=x", "metric=[Command]", 'metric.Command.command="touch {hypothesis} OWNED"']


def test_nothing_is_run_without_a_word_of_the_user(
    tmp_path: Path, started: list[list[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    path = sent(tmp_path, *METRIC, read={str(tmp_path / "x"): ""})
    assert main([path]) == 1
    output = capsys.readouterr()
    assert started == []
    assert f"{path}: nothing was run; where all of the above is right, add --trust" in output.err
    assert "  metric.Command.command=" in output.out
    assert "metric.Command: runs a command: {" in output.out
    assert "touch {hypothesis} OWNED" in output.out
    assert not (tmp_path / "runs").exists()
    sent(tmp_path, *METRIC)
    main([path, "--trust"])
    assert len(started) == 1
    assert started[0][: len(METRIC)] == METRIC


@pytest.mark.parametrize(
    "word",
    [
        "store", "--multirun", "--config-dir=/c", "-m", "--experimental-rerun=x.pickle", "--config-name=x", "--cfg=job",
        "hydra.run.dir=/tmp/x", "hydra.sweep.dir=/x", "hydra/launcher=basic", "+metric@hydra.callbacks=BLEU",
        "+hydra.callbacks.x._target_=os.system", "hydra={}", "~hydra.callbacks", "hydra.mode=MULTIRUN",
        "+experiment=study", "x\x00=1", "seed=" + "1" * 30_000,
    ],
)  # fmt: skip
def test_what_is_no_key_of_a_run_is_refused_even_where_it_is_trusted(
    word: str,
    tmp_path: Path,
    started: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([sent(tmp_path, word), "--trust"]) == 1
    assert capsys.readouterr().err.startswith("error: ")
    assert started == []


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["hydra.searchpath=[pkg://theirs]"], "hydra.searchpath=[pkg://theirs]: its files can run anything"),
        (["+measure.x={_target_: os.system, command: x}"], "measure.x: is code: {"),
        (["+measure.x={_target_: clirbench.commands.rerun.subprocess.run}"], "measure.x: is code: {"),
        (["+measure.x={_target_: clirbench.commands.store.main}"], "measure.x: is code: {"),
        (["+measure.x={_target_: [a]}"], "measure.x: is code: {"),
        (["engine=dask"], "engine: sends work to other machines: {"),
        (["systems=openai", "systems.url=http://x"], "systems: sends texts to a server: {"),
        (["systems=command", "systems.commands={a: x}"], "systems: runs commands: {"),
        (["systems=checkpoints", "systems/translator=command", "systems.translator.command=x"],
         "systems.translator: runs a command: {"),
        (["retrieval=dense", "retrieval/encoder=openai"], "retrieval.encoder: sends texts to a server: {"),
        (["download=true"], "download: fetches data that are missing"),
        (["systems=openai", "systems.cache=/home"], '"cache": "/home"'),
    ],
)  # fmt: skip
def test_what_can_do_more_than_compute_is_shown(
    words: list[str], shown: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], started: list[list[str]]
) -> None:
    main([sent(tmp_path, *words)])
    assert shown in capsys.readouterr().out.partition("It can do more than read files and compute:")[2]
    assert started == []


def test_a_word_of_two_lines_passes_for_no_other_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([sent(tmp_path, "title='a\nIt only reads files and computes.'", "download=true")])
    assert "\nIt only reads files and computes." not in capsys.readouterr().out


def test_a_plain_run_is_said_to_compute(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([sent(tmp_path, "+experiment=demo", "seed=3")])
    assert "It only reads files and computes." in capsys.readouterr().out


def test_the_new_folder_is_the_user_s(
    tmp_path: Path, started: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    main([sent(tmp_path, "seed=3"), "--trust", "hydra.run.dir=chosen"])
    assert [word for word in started[0] if "hydra" in word] == [f'hydra.run.dir="{tmp_path / "chosen"}"']
