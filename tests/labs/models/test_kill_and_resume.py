"""A made-up translator, encoder and scorer of ten lines each: a run that is killed goes on where it was."""

import signal
import sys
from pathlib import Path

import pytest

from tests.labs.models.made_up import ENCODE, HEAD, SCORE, TRANSLATE, noted, slow
from tests.waiting import begun, wait_until


@pytest.mark.slow
def test_what_came_back_before_a_kill_is_not_made_again(small_texts: Path, tmp_path: Path) -> None:
    """The translator dies within a text, the encoder between texts, the scorer between systems; nothing is asked twice
    but for what was in hand."""
    log = {name: tmp_path / name for name in ("translator", "encoder", "scorer")}
    works = {"translator": TRANSLATE, "encoder": ENCODE, "scorer": SCORE}
    for name, work in works.items():
        (tmp_path / f"{name}.py").write_text(HEAD.replace("sys.argv[2]", repr(work)), encoding="utf-8")
    command = {name: f"'{sys.executable} {name}.py log:{log[name]}'" for name in works}
    keys = [f"folder={small_texts}", "systems=program",
            f"systems.commands={{loud: {command['translator']}, other: 'tr e a'}}",
            "retrieval=dense", "retrieval/encoder=program", f"retrieval.encoder.command={command['encoder']}",
            "metric=[BLEU,Command]", f"metric.Command.command={command['scorer']}", "metric.Command.name=Length",
            "measures=[RBO]", "topics.n=5", "engine=serial", f"paths.cache={tmp_path / 'cache'}"]  # fmt: skip

    full = [line for line in (small_texts / "source.txt").read_text(encoding="utf-8").splitlines() if line.strip()]
    for name, after in (("translator", 3), ("scorer", len(full) + 3), ("encoder", 14)):
        slow(log[name], after)
        process = begun(tmp_path, *keys, f"hydra.run.dir={tmp_path / 'killed'}")
        held = {"translator": "translations/*/*.part", "scorer": "scores/*/*.txt", "encoder": "store/*"}[name]

        def came(held: str = held, least: int = after if name == "translator" else 0) -> bool:
            """What was answered may still be in the pipe: of the translator's lines, those that were kept count."""
            files = [path for path in (tmp_path / "cache").glob(held) if path.is_file() or not least]
            return bool(files) and (not least or sum(path.read_bytes().count(b"\n") for path in files) >= least)

        wait_until(
            lambda: len(noted(log[name])) >= after and came(),  # noqa: B023
            unless=lambda: process.poll() is not None,  # noqa: B023
        )
        process.send_signal(signal.SIGKILL)
        process.communicate()
        slow(log[name], None)
    process = begun(tmp_path, *keys, f"hydra.run.dir={tmp_path / 'run'}")
    told = process.communicate()[0]
    assert process.returncode == 0, told
    asked = {name: noted(path) for name, path in log.items()}
    assert sorted(asked["translator"]) == sorted(full)
    n = len((small_texts / "reference.txt").read_text(encoding="utf-8").splitlines())
    assert len(asked["scorer"]) == 2 * n + 3  # in hand when it was killed
    before = {name: len(lines) for name, lines in asked.items()}
    process = begun(tmp_path, *keys, f"hydra.run.dir={tmp_path / 'again'}")
    assert process.communicate()[0]
    assert {name: len(noted(log[name])) - before[name] for name in ("translator", "scorer")} == {
        "translator": 0, "scorer": 0,
    }  # fmt: skip
    for name in ("systems.tsv", "correlations.tsv", "per_topic.tsv"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "again" / name).read_bytes()
