"""The planned study: conditions, views, verdicts and its page, from runs of known truth; the atlas by its command."""

import json
from dataclasses import replace
from math import nan
from pathlib import Path
from runpy import run_path

import numpy as np
import pytest

from clirbench.errors import InputError
from clirbench.files.tables import read_table
from clirbench.labs.collections.hooks import after_sweep
from clirbench.labs.collections.pooling import Pooled
from clirbench.labs.collections.study import (
    CHANGE,
    COST,
    DIFFERENT,
    EQUIVALENT,
    HALF,
    PRIMARY,
    UNDECIDED,
    Plan,
    Study,
    judged,
    read_plan,
    study,
)
from tests.conftest import Cli, write_lines
from tests.report.boards import results_json

DOCS = Path(__file__).parents[3] / "docs"
METRICS = ("BLEU", "chrF1", "chrF2", "MacroF1", "MicroF1", "LengthRatio", "TypeCount")
ROW = Pooled(
    "pseudo-relevance", "RBO", "bm25", "A", "B", 0.0, nan, nan, nan, 1.0, nan, nan, 50, 50, 600, 0.1, nan, nan, 30,
    "collections", 0.0, "", PRIMARY,
)  # fmt: skip


def job(folder: Path, part: str, seed: int, errors: dict[str, float], n: int = 14, other: bool = False) -> Path:
    """A run of a collection: each metric is the measure with a normal error; runs of one pair have one reference.

    `other`: a second retriever has a measure of its own, which is the official COMET with an error.
    """
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=n)
    columns = {name: quality + errors.get(name, 1.0) * rng.normal(size=n) for name in METRICS}
    columns["RBO(p=0.9)"] = quality
    measures = {"RBO(p=0.9)": ("bm25", "pseudo-relevance")}
    if other:
        columns["COMET-21"] = rng.normal(size=n)
        columns["RBO(p=0.9)[minilm]"] = columns["COMET-21"] + 0.05 * rng.normal(size=n)
        measures["RBO(p=0.9)[minilm]"] = ("minilm", "pseudo-relevance")
    systems = [f"maker{seed}x{i}" for i in range(n)]
    lines = ["\t".join(["system", *columns])]
    lines += ["\t".join([name, *(repr(float(c[i])) for c in columns.values())]) for i, name in enumerate(systems)]
    write_lines(folder / "systems.tsv", lines)
    described = results_json({name: name for name in columns}, measures)
    (folder / "results.json").write_text(described)
    pair = "/".join(part.split("/")[:2])
    provenance = {
        "near_copies": [systems[:2]],
        "inputs": {"collection": {"sha256": f"{pair} text"}, "test_sha256": part, "systems": {},
                   "texts": {"references": [f"{pair} reference"], "source": f"{pair} source"}},
        "configuration": {"pool": {"about": {"collection": part}}},
    }  # fmt: skip
    (folder / "provenance.json").write_text(json.dumps(provenance))
    return folder


PARTS = [
    f"wmt2{1 + i % 2}/{pair}" for i, pair in enumerate(("de-en", "en-de", "cs-en", "en-cs", "en-zh", "en-fr", "ru-en"))
]


@pytest.fixture(scope="module")
def plan() -> Plan:
    return read_plan(DOCS / "data" / "study-plan.yaml")


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    root = tmp_path_factory.mktemp("jobs")
    errors = {"MacroF1": 0.05, "BLEU": 1.5, "chrF1": 0.05}
    made = [job(root / str(i), part, i, errors) for i, part in enumerate(PARTS)]
    for i, pair in enumerate(("wmt23/he-en", "wmt23/en-he", "wmt23/en-ja")):
        for k, sides in enumerate(("A-B", "B-A", "A-A")):
            made.append(job(root / f"{i}{k}x", f"{pair}/{sides}", 100 + 10 * i + k, errors))
    return made


@pytest.fixture(scope="module")
def found(jobs: list[Path], plan: Plan) -> Study:
    return study(jobs, plan)


def rows(found: Study, view: str) -> dict[str, Pooled]:
    return {row.name: row for row in found.rows if row.view == view}


def test_a_difference_that_is_there_is_found_and_one_that_is_not_is_not(found: Study) -> None:
    """By construction MacroF1 and chrF1 order alike (tau about .97 each), BLEU's error is 30 times as large."""
    primary = rows(found, PRIMARY)
    assert primary["MacroF1 - BLEU"].verdict == DIFFERENT
    assert primary["MacroF1 - BLEU"].value > 0.3
    assert primary["MacroF1 - chrF1"].verdict == EQUIVALENT


def test_crossed_runs_of_one_pair_are_one_collection_and_same_references_apart(found: Study) -> None:
    primary = rows(found, PRIMARY)
    assert primary["MacroF1 - BLEU"].collections == 10  # 7 with one reference, 3 crossed both ways
    assert primary["MacroF1 - BLEU"].texts == 10
    assert rows(found, "same reference")["BLEU"].collections == 3
    assert rows(found, "crossed references")["BLEU"].collections == 3
    assert rows(found, COST)["BLEU"].collections == 3


def test_a_second_retriever_has_views_of_its_own_and_what_changes(tmp_path: Path, plan: Plan) -> None:
    """By construction COMET is the measure of the second retriever and noise for the first."""
    made = [job(tmp_path / str(i), part, i, {"chrF2": 0.05}, other=True) for i, part in enumerate(PARTS)]
    found = study(made, plan)
    primary = {(row.retriever, row.name): row for row in found.rows if row.view == PRIMARY}
    assert primary["bm25", "COMET - chrF2"].value < -0.3 < 0.3 < primary["minilm", "COMET - chrF2"].value
    change = rows(found, CHANGE)["COMET - chrF2"]
    both = (primary[name, "COMET - chrF2"].value for name in ("minilm", "bm25"))
    assert change.value == pytest.approx(np.subtract(*both), abs=0.05)
    assert (change.retriever, change.collections) == ("minilm", len(PARTS))


def test_views_leave_out_years_groups_and_the_worse_half(found: Study) -> None:
    views = dict.fromkeys(row.view for row in found.rows)
    assert {"without wmt21", "without wmt22", "without wmt23", "without Germanic", HALF} <= set(views)
    assert rows(found, "without wmt23")["MacroF1 - BLEU"].collections == 7
    assert rows(found, HALF)["MacroF1 - BLEU"].systems < rows(found, PRIMARY)["MacroF1 - BLEU"].systems


def test_near_copies_count_once(found: Study) -> None:
    assert {one.near_copies for one in found.collections if not one.left_out} == {1}
    assert rows(found, PRIMARY)["BLEU"].systems == 10 * 13


@pytest.mark.parametrize(
    ("value", "low", "high", "p", "verdict", "needed"),
    [
        (0.10, 0.05, 0.15, 0.01, DIFFERENT, ""),
        (-0.007, -0.033, 0.020, 0.6, EQUIVALENT, ""),
        # by hand: half-width .025, 30 groups: widened by .025 / sqrt(58) = .0033, above .05; 50 * (.025 / .025)^2
        (0.0249, -0.0001, 0.0499, 0.2, UNDECIDED, "51"),
        # by hand: half-width .0465, room max(.05 - .025, .025) = .025: 50 * (.0465 / .025)^2 = 172.98
        (0.025, -0.0215, 0.0715, 0.3, UNDECIDED, "173"),
        (0.025, nan, nan, nan, UNDECIDED, "unknown"),
    ],
)
def test_verdicts(value: float, low: float, high: float, p: float, verdict: str, needed: str) -> None:
    row = judged(replace(ROW, value=value, ci_low=low, ci_high=high, p_holm=p), 0.05)
    assert (row.verdict, row.needed) == (verdict, needed)


def test_the_tables_name_what_was_left_out_and_have_six_decimals(jobs: list[Path], tmp_path: Path) -> None:
    failed, plan = {"corpus.part=wmt22/en-hr": "no reference.txt in it"}, str(DOCS / "data" / "study-plan.yaml")
    contrasts, collections = after_sweep(tmp_path, jobs, {"plan": plan}, failed)
    left_out = {row["collection"]: row["left_out"] for row in read_table(collections).records() if row["left_out"]}
    named = ("wmt21/zu-xh", "wmt22/en-liv", "wmt22/liv-en")
    assert left_out == dict.fromkeys(named, "5 systems") | {"wmt22/en-hr": "no reference.txt in it"}
    assert {row["human"] for row in read_table(collections).records()} == {"its folder has none", ""}
    rows = list(read_table(contrasts).records())
    cells = [row[name] for row in rows for name in ("value", "ci_low", "p_holm", "sd_between") if row[name]]
    assert all(float(cell) == round(float(cell), 6) for cell in cells)
    after_sweep(tmp_path, list(reversed(jobs)), {"plan": plan})
    assert [row["value"] for row in read_table(contrasts).records()] == [row["value"] for row in rows]


def test_a_plan_that_is_not_there_and_runs_of_no_collection_are_refused(
    plan: Plan, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(InputError, match="the plan of the study is missing"):
        read_plan(tmp_path / "plan.yaml")
    (tmp_path / "list.yaml").write_text("- a\n")
    with pytest.raises(InputError, match="a mapping was expected"):
        read_plan(tmp_path / "list.yaml")
    with pytest.raises(InputError, match="demo: no run of a collection YEAR/PAIR"):
        study([job(tmp_path / "demo", "demo", 1, {})], plan)


def test_the_changelog_has_the_plans_hash(plan: Plan) -> None:
    assert plan["sha256"] in (DOCS.parent / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_findings_of_the_documentation_are_those_of_its_data_files() -> None:
    page = run_path(str(DOCS / "generator" / "findings.py"))["page"](DOCS / "data")
    assert page == (DOCS / "findings.md").read_text(encoding="utf-8")
    assert len(page.split()) <= 1200


@pytest.mark.release
@pytest.mark.timeout(3600)
def test_it_is_what_the_documentation_says(cli: Cli, shared_data: Path) -> None:
    """Some 420 s of a processor."""
    plan = f"pool.plan={DOCS / 'data' / 'study-plan.yaml'}"
    done = cli("+experiment=atlas", plan, f"paths.mirror={shared_data}", "hydra.sweep.dir=sweep", timeout=3000)
    assert (done.returncode, done.stderr) == (0, "")
    for name in ("atlas.tsv", "atlas_collections.tsv"):
        assert (cli.cwd / "sweep" / name).read_bytes() == (DOCS / "data" / "findings" / name).read_bytes()
