"""Samples and pools on small texts; on the real ladder what was chosen by some topics holds on the others."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from clirbench.configuration.building import build
from clirbench.configuration.composing import compose_configuration
from clirbench.errors import ConfigError
from clirbench.experiment import run
from clirbench.files.tables import read_table
from clirbench.labs.planning.analysis import SubsetAnalysis
from clirbench.labs.planning.recovery import Recovery
from clirbench.types import Documents, Topic
from tests.conftest import Cli, write_lines
from tests.report.analysed import result_of
from tests.statistics.worlds import world


def row(way: str, size: float, tau_low: float, same_choice: float = 1.0) -> Recovery:
    return Recovery(
        measure="MAP", way=way, size=size, documents=int(100 * size) if size < 1 else 10, fraction=min(size, 0.1),
        samples=20, tau=tau_low, tau_low=tau_low, same_choice=same_choice, loss=0.01, bias=-0.2, bias_low=-0.3,
        bias_high=-0.1, n_systems=9, n_topics=30,
    )  # fmt: skip


def test_the_smallest_from_which_on_all_do() -> None:
    rows = [
        row("sample", 0.01, 0.95, 0.5),
        row("sample", 0.02, 0.8),
        row("sample", 0.05, 0.92, 0.5),
        row("pool", 5, 0.5, 0.9),
    ]
    first, bias, how = SubsetAnalysis().findings(rows)
    assert first == (
        "MAP, 9 systems, 30 topics: to rank the systems as all documents do takes 5 % of them (drawn at random); to "
        "find the same best system takes more than was tried (tau at least .90, the same system, in 95 % of samples "
        "and halves of topics)."
    )
    assert bias == (
        "With 5 % of them (drawn at random): MAP is .200 too low (-.300 to -.100 for single systems), and shipping the "
        "best system by them loses .010 on average."
    )
    assert "relevance=qrels" in how


def test_the_table(cli: Cli, small_texts: Path) -> None:
    done = cli(
        f"folder={small_texts}", "relevance.k=2", "metric=[]", "measures=[RBO,MAP]", "analysis=[subset]",
        "analyses.subset.measure=MAP", "analyses.subset.depths=[1,1000]", "hydra.run.dir=out",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = list(read_table(cli.cwd / "out" / "subset.tsv").records())
    assert [(r["way"], r["size"]) for r in rows if r["way"] == "sample"][-1] == ("sample", "0.7")
    assert {r["measure"] for r in rows} == {"MAP"}
    assert int(rows[-1]["documents"]) < 10, "a pool that holds every document says nothing new"
    assert "to rank the systems as all documents do takes" in (cli.cwd / "out" / "report.md").read_text("utf-8")


def test_a_pool_is_what_a_folder_of_its_documents_gives(cli: Cli, small_texts: Path, tmp_path: Path) -> None:
    """Its bias is that of a run over these documents alone, with the judgments of all."""
    write_lines(tmp_path / "topics.tsv", ["1\tcod quota boats", "2\tharbour bridge river"])
    asked = ("topics=tsv", f"topics.path={tmp_path / 'topics.tsv'}", "metric=[]", "measures=[MAP]", "primary=MAP")
    done = cli(
        f"folder={small_texts}", *asked, "relevance.k=3", "analysis=[subset]", "analyses.subset.fractions=[]",
        "analyses.subset.depths=[2]", "hydra.run.dir=whole",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (pool,) = read_table(cli.cwd / "whole" / "subset.tsv").records()
    ranked = [line.split() for line in (cli.cwd / "whole/trec/ideal.run").read_text("utf-8").splitlines()]
    kept = {doc_id for _, _, doc_id, rank, *_ in ranked if int(rank) <= 2}
    assert len(kept) == int(pool["documents"])
    judged = (cli.cwd / "whole/trec/qrels.txt").read_text("utf-8").splitlines()
    write_lines(tmp_path / "qrels.txt", [line for line in judged if line.split()[2] in kept])
    part = tmp_path / "pool"
    (part / "systems").mkdir(parents=True)
    rows = [line.split("\t") for line in (small_texts / "docs.tsv").read_text("utf-8").splitlines()[1:]]
    lines = [int(number) - 1 for number, doc_id in rows if doc_id in kept]
    for file in (small_texts / "reference.txt", *(small_texts / "systems").iterdir()):
        text = file.read_text("utf-8").split("\n")
        write_lines(part / file.relative_to(small_texts), [text[i] for i in lines])
    documents = [f"{n}\t{doc_id}" for n, doc_id in enumerate((d for _, d in rows if d in kept), start=1)]
    write_lines(part / "docs.tsv", ["line\tdoc_id", *documents])
    done = cli(
        f"folder={part}", *asked, "relevance=qrels", f"relevance.path={tmp_path / 'qrels.txt'}",
        "relevance.judged_by=people", "hydra.run.dir=alone",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    whole, alone = (
        {r["system"]: float(r["MAP"]) for r in read_table(cli.cwd / name / "systems.tsv").records()}
        for name in ("whole", "alone")
    )
    assert np.mean([alone[s] - whole[s] for s in whole]) == pytest.approx(float(pool["bias"]), abs=1e-12)


def test_errors(cli: Cli, small_texts: Path) -> None:
    with pytest.raises(ConfigError, match="between 0 and 1"):
        SubsetAnalysis(fractions=(0.5, 1.0))
    with pytest.raises(ConfigError, match="at least 1"):
        SubsetAnalysis(depths=(0,))
    with pytest.raises(ConfigError, match="reads texts"):
        SubsetAnalysis().tables(result_of(world()))
    done = cli(f"folder={small_texts}", "analysis=[subset]", "analyses.subset.measure=MAPP", "hydra.run.dir=out")
    assert done.returncode == 1
    assert "analyses.subset.measure 'MAPP'" in done.stderr


@dataclass(frozen=True)
class Given:
    """Topics that are there already."""

    given: tuple[Topic, ...]
    signature: str = "given"

    def topics(self, documents: Documents) -> tuple[Topic, ...]:
        return self.given


@pytest.mark.release
def test_what_half_of_the_topics_choose_holds_on_the_other_half_of_the_ladder(shared_data: Path) -> None:
    folder = shared_data / "europarl" / "fr-en-ladder" / "collection"
    overrides = [
        "+experiment=folder", f"folder={folder}", "topics=gov2", "relevance=top_10", f"paths.mirror={shared_data}",
        "metric=[]", "measures=[MAP]", "analysis=[subset]", "engine=serial",
    ]  # fmt: skip
    experiment = build(compose_configuration(overrides))
    (analysis,), experiment = experiment.analyses, replace(experiment, analyses=())
    assert isinstance(analysis, SubsetAnalysis)
    inputs = run(experiment).inputs
    assert inputs is not None
    topics = inputs.topics[""]
    order = np.random.default_rng(1).permutation(len(topics))
    chosen, others = (
        run(replace(experiment, topics={"": Given(tuple(topics[i] for i in sorted(part)))}))
        for part in np.array_split(order, 2)
    )
    rows = list(analysis.recoveries(chosen, "MAP"))
    for way in ("sample", "pool"):
        found = analysis.smallest(rows, way, lambda row: row.tau_low >= analysis.tau)
        assert found is not None
        assert found.fraction < 0.8
        sizes = {"fractions": (), "depths": ()} | {"fractions" if way == "sample" else "depths": (found.size,)}
        (held,) = replace(analysis, halves=0, seed=9, **sizes).recoveries(others, "MAP")
        assert held.tau_low >= analysis.tau, held
