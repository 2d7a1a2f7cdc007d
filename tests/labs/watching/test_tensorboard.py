"""Event files are read back as TensorBoard reads them: framed records, each a protocol buffer."""

import struct
from pathlib import Path

import pytest

from clirbench.errors import ResourceError
from clirbench.labs.watching.tensorboard import EventFiles, run_of

EXTRA = "EXTRA ABSENT: pip install '.[tensorboard]'"


def scalars(folder: Path) -> dict[str, dict[int, float]]:
    """Tag to step to value, of all event files of a folder; the framing is that of TFRecord."""
    from tensorboardX.proto.event_pb2 import Event

    found: dict[str, dict[int, float]] = {}
    for path in sorted(folder.glob("events.out.tfevents.*")):
        content, at = path.read_bytes(), 0
        while at < len(content):
            (length,) = struct.unpack("<Q", content[at : at + 8])
            event = Event.FromString(content[at + 12 : at + 12 + length])
            at += 12 + length + 4
            for value in event.summary.value:
                found.setdefault(value.tag, {})[event.step] = value.simple_value
    return found


def test_each_run_has_its_folder_and_each_value_its_step(tmp_path: Path) -> None:
    pytest.importorskip("tensorboardX", reason=EXTRA)
    files = EventFiles(tmp_path / "events")
    for run in (1, 2):
        for step in (500, 1000):
            metadata = {"run": str(run), "step": str(step), "group": f"step{step}"}
            files.add(f"run{run}-step{step}", metadata, {"MAP": step / 1000 * run, "BLEU": None})
    files.add("final", {}, {"MAP": 1.0})
    before = scalars(tmp_path / "events" / "run2")
    files.close()
    assert sorted(path.name for path in (tmp_path / "events").iterdir()) == ["run1", "run2"]
    assert before == scalars(tmp_path / "events" / "run2") == {"clirbench/MAP": {500: 1.0, 1000: 2.0}}


def test_the_name_of_a_run() -> None:
    assert run_of("run1-step500", {"run": "1", "step": "500"}) == "run1"
    assert run_of("seed7-epoch1-step500", {"seed": "7", "epoch": "1", "step": "500"}) == "seed7"
    assert run_of("step500", {"step": "500"}) == "training"


@pytest.mark.parametrize("name", ["../../x", "/x", "..", ".", "a/../../x", "a\\b", "a\0b", "a" * 300])
def test_the_name_of_a_run_leads_nowhere_else(name: str) -> None:
    run = run_of(name, {})
    assert run not in ("", ".", "..")
    assert not {"/", "\\", "\0"} & set(run)
    assert len(run) < 256


@pytest.mark.parametrize("step", ["inf", "nan", "1e999"])
def test_a_step_that_is_no_number_has_no_place(tmp_path: Path, step: str) -> None:
    pytest.importorskip("tensorboardX", reason=EXTRA)
    files = EventFiles(tmp_path / "events")
    files.add("a", {"step": step}, {"MAP": 1.0})
    assert not (tmp_path / "events").exists()


def test_without_the_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("clirbench.checks.find_spec", lambda name: None)
    with pytest.raises(ResourceError, match=r"--tensorboard needs the library tensorboardX.*\.\[tensorboard\]"):
        EventFiles(tmp_path)
