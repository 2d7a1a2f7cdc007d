"""`clirbench train`: what it refuses; a tiny system learned by heart, through a kill, and read as a sweep."""

import os
import signal
import subprocess
import sys
import time
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

import pytest

from clirbench.labs.training.commands.train import main
from tests.conftest import PACKAGE, Cli, write_lines

PAIRS = [f"{a} {b}" for a in ("the dog", "a cat", "the red bird", "one man") for b in ("sleeps", "eats", "runs now")]


@pytest.fixture
def text(tmp_path: Path) -> list[str]:
    """English lines, and their source: those lines turned round."""
    write_lines(tmp_path / "train.en", PAIRS * 4)
    write_lines(tmp_path / "train.xx", [line[::-1] for line in PAIRS] * 4)
    return [f"source={tmp_path / 'train.xx'}", f"target={tmp_path / 'train.en'}"]


def test_without_the_extra_one_line_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("clirbench.checks.find_spec", lambda name: None)
    assert main(["source=a", "target=b", "output_dir=out"]) == 1
    assert "clirbench train needs the libraries torch, transformers, accelerate" in (said := capsys.readouterr().err)
    assert "pip install '.[train]'" in said
    assert said.count("\n") == 1


@pytest.fixture(scope="session")
def torch() -> None:
    """Skipped, loudly, without what trains."""
    if missing := [name for name in ("torch", "transformers", "accelerate") if find_spec(name) is None]:
        pytest.skip(f"EXTRA ABSENT: pip install '.[train]' ({', '.join(missing)}); training is not tested")


@pytest.mark.slow
@pytest.mark.usefixtures("torch")
@pytest.mark.filterwarnings("default")  # of the library
def test_what_cannot_be_trained_is_said_in_a_line(
    tmp_path: Path, text: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    write_lines(tmp_path / "short.en", PAIRS)
    out = f"output_dir={tmp_path / 'out'}"
    for more, said in (
        ([out, "max_stepz=3"], "max_stepz"),
        ([out, "d_model=30"], "divisible by num_heads"),
        ([out, "max_steps=many"], "invalid int value: 'many'"),
        ([out, f"target={tmp_path / 'short.en'}"], "train.xx has 48 lines, "),
        ([out, f"source={tmp_path / 'none'}"], "none: no such file"),
    ):
        assert main([*text, *more]) == 1, more
        error = capsys.readouterr().err
        assert said in error
        assert error.count("\n") == 1


@pytest.mark.slow
@pytest.mark.usefixtures("torch")
def test_killed_it_goes_on_to_the_same_weights_and_its_checkpoints_are_a_sweep(
    tmp_path: Path, text: list[str], cli: Cli
) -> None:
    settings = [
        *text, "pieces=200", "d_model=32", "ffn=64", "heads=2", "dropout=0.02", "max_steps=120", "save_steps=40",
        "per_device_train_batch_size=12", "learning_rate=0.01", "warmup_steps=20", "label_smoothing_factor=0",
        "seed=1", "use_cpu=true",
    ]  # fmt: skip
    command = [sys.executable, "-P", "-m", "clirbench", "train", *settings]
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE)}
    straight, killed = tmp_path / "models" / "straight", tmp_path / "models" / "killed"
    subprocess.run([*command, f"output_dir={straight}"], env=environment, check=True, capture_output=True)
    begun = subprocess.Popen([*command, f"output_dir={killed}"], env=environment, stderr=subprocess.DEVNULL)
    while not (killed / "checkpoint-40" / "trainer_state.json").exists():
        assert begun.poll() is None
        time.sleep(0.01)
    begun.send_signal(signal.SIGKILL)
    begun.wait()
    (killed / "checkpoint-100").mkdir()  # half-written
    subprocess.run([*command, f"output_dir={killed}"], env=environment, check=True, capture_output=True)
    weights = [
        {path.parent.name: sha256(path.read_bytes()).hexdigest() for path in home.glob("*/model.safetensors")}
        for home in (straight, killed)
    ]
    assert sorted(weights[0]) == ["checkpoint-120", "checkpoint-40", "checkpoint-80"]
    assert weights[0] == weights[1]
    pytest.importorskip("clirbench.labs.models.translating", reason="needs the laboratory models")
    data = tmp_path / "data"
    write_lines(data / "source.txt", [line[::-1] for line in PAIRS])
    write_lines(data / "reference.txt", PAIRS)
    write_lines(tmp_path / "topics.tsv", ["1\tdog sleeps", "2\tred bird", "3\tman runs"])
    cli.succeed(
        "translate", f"folder={data}", "systems=checkpoints",
        f"systems.model={straight.parent}/%run%/checkpoint-%step%", "topics=tsv",
        f"topics.path={tmp_path / 'topics.tsv'}",
        "systems/translator=transformers", "systems.translator.device=cpu", "--out", str(tmp_path / "out"),
    )  # fmt: skip
    written = (tmp_path / "out" / "systems" / "straight-step120.txt").read_text(encoding="utf-8").split("\n")
    assert sum(a == b for a, b in zip(written, PAIRS, strict=False)) >= 10  # what it was shown, by heart
