"""The whole atlas by its one command."""

from pathlib import Path

import pytest

from tests.conftest import Cli

DOCS = Path(__file__).resolve().parents[3] / "docs"


@pytest.mark.release
@pytest.mark.timeout(3600)
def test_it_is_what_the_documentation_says(cli: Cli, shared_data: Path) -> None:
    """Some 420 s of a processor."""
    plan = f"pool.plan={DOCS / 'data' / 'atlas-plan.yaml'}"
    done = cli("+experiment=atlas", plan, f"paths.mirror={shared_data}", "hydra.sweep.dir=sweep", timeout=3000)
    assert (done.returncode, done.stderr) == (0, "")
    for name in ("atlas.tsv", "atlas_collections.tsv"):
        assert (cli.cwd / "sweep" / name).read_bytes() == (DOCS / "data" / "findings" / name).read_bytes()
    assert (cli.cwd / "sweep" / "findings.md").read_bytes() == (DOCS / "findings.md").read_bytes()
