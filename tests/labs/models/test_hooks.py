"""`clirbench status` of a run with translators: shards that are done, missing, damaged, failed."""

from pathlib import Path

import pytest

from clirbench.commands import status
from clirbench.engines.local import Serial
from clirbench.experiment import completed
from clirbench.labs.models.program import Program
from clirbench.labs.models.translating import Translators
from clirbench.result import Experiment, Inputs, no_watch
from clirbench.store.cached import PLAN, Plan
from tests.commands.test_status import lines
from tests.labs.models.made_up import listed, program
from tests.systems.sides import folder_corpus


def test_translations_are_a_step_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two systems of which one fails after its first shard; then the shards that are there, gone or damaged."""
    cache, source = tmp_path / "cache", folder_corpus(tmp_path / "data")
    broken = program(tmp_path / "log", "line if 'Buch' not in line else sys.exit('no Buch')")
    translations = listed(source, cache, good=Program("cat"), bad=broken)
    keys = list(Translators().files(translations))
    n_shards = len(keys) // 2
    assert n_shards > 2
    plan = Plan.begin(tmp_path / PLAN, cache / "store")
    experiment = Experiment("machines", Serial(), plan=plan)
    completed(experiment, Inputs(source, translations, {}), no_watch)
    assert status.main([str(tmp_path)]) == 1
    good, bad, total = lines(capsys)
    assert good == "good Translate done"
    done = sum((cache / key).exists() for system, key in keys if system == "bad")
    assert 0 < done < n_shards
    assert bad.startswith(f"bad Translate {done} of {n_shards} done; failed: ")
    assert "Buch" in bad
    assert total == f"{2 * n_shards} results: {n_shards + done} done, 0 missing, {n_shards - done} failed"
    (first, second), *_ = [[key for system, key in keys if system == "good"][:2]]
    (cache / first).unlink()
    (cache / second).write_bytes(b"damaged")
    assert status.main([str(tmp_path)]) == 1
    assert lines(capsys)[0] == f"good Translate {n_shards - 2} of {n_shards} done; missing"


def test_a_store_that_is_a_link_stands_beside_its_translations(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "store").symlink_to(tmp_path / "elsewhere")
    source = folder_corpus(tmp_path / "data")
    translations = listed(source, tmp_path / "cache", 1000, a=Program("cat"))
    plan = Plan.begin(tmp_path / PLAN, tmp_path / "cache" / "store")
    inputs = Inputs(source, translations, {})
    completed(Experiment("machines", Serial(), plan=plan), inputs, no_watch)
    assert status.main([str(tmp_path)]) == 0
    assert lines(capsys)[0] == "a Translate done"
