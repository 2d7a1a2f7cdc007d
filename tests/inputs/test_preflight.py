"""What the check says before a run, and that nothing which passes it fails for a reason that could have been known."""

import random
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from clirbench.configuration.building import build
from clirbench.configuration.composing import compose_configuration
from clirbench.errors import ClirbenchError
from clirbench.experiment import run
from clirbench.inputs import adapt_to_inputs, preflight, read_inputs
from clirbench.result import Experiment
from clirbench.store.store import read_through_snapshot

SMALL = ["topics.n=8", "metric=[BLEU]", "engine=serial", "measures=[MAP,P@10]", "relevance.k=3"]


def checked(experiment: Experiment) -> list[str]:
    with read_through_snapshot():
        return preflight(*adapt_to_inputs(experiment, read_inputs(experiment)))


def folder(path: Path, *options: str) -> Experiment:
    return build(compose_configuration([f"folder={path}", *SMALL, *options]))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["analysis=[favoritism]"], r"choose pair=\[A,B\] of every2"),
        (["analysis=[favoritism]", "pair=[nope,every2]"], "unknown system of pair 'nope'"),
        (["analysis=[favoritism]", "pair=[every22,every3]"], "Did you mean 'every2'"),
        (["analysis=[favoritism]", "pair=[every2,every2]"], "compares two different systems"),
        (["analysis=[multiverse]", "measures=[]"], "repeats the retrieval"),
        (["analysis=[segment_level]"], "people's segment scores are not there"),
        (["analysis=[type_weights]", "metric=[]"], "needs a metric with statistics"),
        (["correlation.p_value=exakt"], "Did you mean 'exact'"),
        (["correlation.coefficients=[kendal]"], "unknown coefficient 'kendal'. Did you mean 'kendall'"),
        (["given=[training_lines]"], "unknown covariate 'training_lines'"),
        (["units=family"], "units=family: there is no such column"),
        (["relevance=qrels", "relevance.path=nowhere.txt", "relevance.judged_by=people"], "nowhere.txt"),
        (["runs=nowhere"], "nowhere"),
        (
            ["topics@also_topics=titles", "+retrieval@also_retrieval.titles=bm25s"],
            "also_retrieval.titles: topics or judgments have that name; choose another",
        ),
    ],
)
def test_a_run_that_would_fail_is_refused_before_it(small_texts: Path, options: list[str], said: str) -> None:
    base = [f"folder={small_texts}", *(o for o in SMALL if "qrels" not in str(options) or "relevance" not in o)]
    with pytest.raises(ClirbenchError, match=said):
        checked(build(compose_configuration([*base, *options])))


def test_a_score_that_is_no_number_is_found_before_the_run(small_folder: Path) -> None:
    rows = "every2\t1\nevery3\tn/a\nevery5\t3\nevery9\t4\n"
    (small_folder / "scores.tsv").write_text(f"system\tcomet\n{rows}", encoding="utf-8")
    with pytest.raises(ClirbenchError, match="system 'every3', column 'comet': no number"):
        checked(folder(small_folder))


def test_a_column_that_the_run_computes_is_found_before_the_run(small_folder: Path) -> None:
    (small_folder / "scores.tsv").write_text("system\tP@10\nevery2\t1\nevery3\t2\n", encoding="utf-8")
    with pytest.raises(ClirbenchError, match="P@10 is computed and also in"):
        checked(folder(small_folder))


def test_more_relevant_documents_than_there_are_is_said(small_texts: Path) -> None:
    (note,) = checked(folder(small_texts, "relevance.k=100"))
    assert "the first 100 of 10 documents are relevant" in note
    assert checked(folder(small_texts)) == []


@pytest.mark.parametrize(
    ("table", "key", "label"),
    [
        ("gowda2021_table5", "scores", "CS-EN"),
        ("gowda2021_table13", "folders", "FR-EN"),
        ("wmt21_metrics", "human", "X"),
    ],
)
def test_a_file_of_a_published_table_that_is_not_there_is_said_before_the_run(table: str, key: str, label: str) -> None:
    experiment = build(compose_configuration([f"+experiment={table}", f"paper.{key}={{{label}: nowhere.tsv}}"]))
    with pytest.raises(ClirbenchError, match=rf"paper\.{key}: nowhere\.tsv of {label} does not exist"):
        preflight(experiment, None)


ANALYSES = ("choice", "differences", "imbalance", "power", "type_weights")
OF_PAIRS = ("favoritism", "types")
NEEDY = ("segment_level",)
GOOD_SCORES = (
    "",
    "kind\ta\ta\tb\tb",
    *(f"{name}\t1\t2\t3\t4" for name in ("comet", "steps", "step")),
    "comet\t1\t1\t1\t1",
)
BAD_SCORES = ("comet\t1\tn/a\t3\t4", "BLEU\t1\t2\t3\t4", "MAP\t1\t2\t3\t4", "comet\t1e999\t2\t3\t4")


def drawn(chance: random.Random, path: Path) -> list[str]:
    """A configuration, good or broken in some places; `path` gets the score table that it speaks of."""

    def mostly(good: Sequence[str], bad: Sequence[str]) -> str:
        return chance.choice(bad if chance.random() < 0.07 else good)

    column, *cells = mostly(GOOD_SCORES, BAD_SCORES).split("\t")
    rows = "".join(f"every{n}\t{cell}\n" for n, cell in zip((2, 3, 5, 9), cells, strict=bool(cells)))
    (path / "scores.tsv").unlink(missing_ok=True)
    if column:
        (path / "scores.tsv").write_text(f"system\t{column}\n{rows}", encoding="utf-8")
    paired = chance.random() < 0.4
    analyses = chance.sample((*ANALYSES, *(OF_PAIRS if paired else ())), chance.choice((0, 1, 1, 2)))
    pair = "pair=[every2,every3]" if paired else "pair=null"
    options = [
        f"analysis=[{mostly([','.join(dict.fromkeys(analyses))], [*NEEDY, *OF_PAIRS])}]",
        mostly([pair], ["pair=[every2,nope]", "pair=[every5,every5]", "pair=[every2]"]),
        f"topics={chance.choice(('keyterms', 'titles', 'sentences'))}",
        f"topics.n={mostly(('1', '3', '8'), ('200',))}",
        f"relevance.k={chance.choice(('1', '3', '100'))}",
        f"metric=[{mostly(('BLEU', 'BLEU,MacroF1', 'TER'), ('',))}]",
        f"measures=[{mostly(('MAP', 'MAP,RBO', 'P@10'), ('',))}]",
        f"units={mostly(('null', 'none'), ('kind', 'nothing'))}",
        f"given=[{mostly(('',), ('steps', 'nope', 'step'))}]",
        f"correlation.p_value={mostly(('exact', 'scipy', 'permutation'), ('wrong',))}",
        f"baseline={mostly(('null', 'every2'), ('every4',))}",
        f"systems.include=[{mostly(('every*',), ('every2', 'every[23]', 'none'))}]",
        f"scores.measures=[{mostly(('',), ('comet',))}]",
        f"documents.size={mostly(('1',), ('7', '1000'))}",
    ]
    return [f"folder={path}", "engine=serial", *options]


FURTHER = (
    "retrieval=bm25s", "retrieval=rank_bm25", "retrieval.k1=-1", "retrieval.depth=5",
    "analyzer=language", "relevance=top_share", "relevance=jenks", "relevance=percentile", "relevance=score_share",
    "relevance=qrels", "relevance=query_in_document", "relevance@also=top_10", "correlation.coefficients=[spearman]",
    "correlation.coefficients=[kendall_a]", "correlation.coefficients=[]",
    "correlation.alpha=0.5", "correlation.alpha=7", "correlation.complete_pairs=false", "output.runs=none",
    "output.figures=[]", "engine=[]", "output.tables=[tsv,parquet]", "untranslated=true",
    "margin=0.01", "references=all", "references=B", "seed=7", "seed=null", "title=größe", "metric=null",
    "topics=null", "corpus=null", "scores.missing=hole", "scores.missing=none", "scores.ignore=[comet]",
    "scores.rename={comet: BLEU}", "scores.lower_is_better=[comet]", "analyses.power.alpha=2",
    "analyses.choice.units=nothing", "limits.topics=2", "limits.lines=30", "runs=nowhere",
    "measures=[P@5,R@1000,nDCG@3]", "measures=[AQWV]", "measures=['RBO(p=0.5)']", "measures=[GMAP,MRR]",
    "systems=simulated", "topics@also_topics=titles", "retrieval@also=bm25s", "test_folder=nowhere",
    "topics=tsv",
)  # fmt: skip
"""One of these may be said besides."""


def damaged(chance: random.Random, path: Path) -> None:
    """Spoil one file, as disks, editors and colleagues do; some readers may forgive it."""
    system, reference, docs = path / "systems" / "every3.txt", path / "reference.txt", path / "docs.tsv"
    file = chance.choice((system, reference, docs, path / "source.txt"))
    lines = file.read_bytes().split(b"\n")
    at = chance.randrange(1, len(lines) - 1)
    change = chance.choice(("gone", "empty", "short", "blank", "bytes", "twice", "windows", "packed", "all blank"))
    if change == "gone":
        file.unlink()
    elif change == "packed":
        file.rename(f"{file}.gz")
    else:
        lines = {
            "empty": [b""],
            "short": lines[:at],
            "blank": [*lines[:at], b"", *lines[at + 1 :]],
            "bytes": [*lines[:at], b"\xff", *lines[at + 1 :]],
            "twice": [*lines[:at], *lines[at - 1 :]],
            "windows": [line + b"\r" for line in lines[:-1]] + [b""],
            "all blank": [b""] * len(lines),
        }[change]
        file.write_bytes(b"\n".join(lines))


def tried(pristine: Path, path: Path, seeds: Sequence[int], runs: int) -> tuple[int, int, list[str]]:
    """How many passed the check, how many of them were run, and those that failed nevertheless."""
    passed, failed, left = 0, list[str](), runs
    for seed in seeds:
        chance = random.Random(seed)
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(pristine, path)
        options = drawn(chance, path)
        options += chance.sample(FURTHER, chance.choice((0, 0, 1, 2)))
        if chance.random() < 0.2:
            damaged(chance, path)
        try:
            experiment = build(compose_configuration(options))
            checked(experiment)
        except ClirbenchError:
            continue
        except Exception as error:  # noqa: BLE001 - a check that breaks down is a finding
            failed.append(f"{seed}: {options}: the check: {type(error).__name__}: {error}")
            continue
        passed += 1
        if left:
            left -= 1
            try:
                run(experiment)
            except Exception as error:  # noqa: BLE001 - a fault of ours is a finding too
                failed.append(f"{seed}: {options}: {type(error).__name__}: {error}")
    return passed, runs - left, failed


def test_nothing_that_passes_the_check_fails(small_texts: Path, tmp_path: Path) -> None:
    passed, made, failed = tried(small_texts, tmp_path / "small", range(12), 2)
    assert failed == []
    assert passed > made == 2


@pytest.mark.release
@pytest.mark.timeout(3600)
def test_nothing_of_five_hundred_that_passes_the_check_fails(small_texts: Path, tmp_path: Path) -> None:
    passed, made, failed = tried(small_texts, tmp_path / "small", range(1000, 1500), 40)
    print(f"500 configurations: {passed} passed the check, {made} were run, {len(failed)} failed")
    assert failed == []
    assert passed > made == 40
