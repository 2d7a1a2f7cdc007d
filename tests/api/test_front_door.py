"""What `import clirbench` offers: light, silent, complete, and stable."""

import doctest
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pandas as pd
import pytest
import yaml

import clirbench as cb
from tests.conftest import PACKAGE

ROOMS = ("corpora", "measures", "metrics", "relevance", "retrieval", "systems", "topics")
NAMES = {
    "run",
    "load",
    "events",
    "correlate",
    "score",
    "evaluate",
    "ask",
    "compare",
    "pool",
    "Outcome",
    "PooledOutcome",
    "Comparison",
    "ClirbenchError",
    "RunWarning",
    *ROOMS,
}
HEAVY = ("numpy", "pandas", "numba", "scipy", "matplotlib", "hydra", "rich")


def test_importing_loads_nothing() -> None:
    """Counted, not timed: modules, and the functions of Python that are called (6,000 where this was written)."""
    code = (
        "import sys; before = set(sys.modules); calls = []; sys.settrace(lambda *_: calls.append(0)); "
        "import clirbench; sys.settrace(None); print(len(calls), *sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=PACKAGE, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    calls, *modules = done.stdout.split()
    assert not {name.partition(".")[0] for name in modules} & set(HEAVY)
    assert [name for name in modules if name.startswith("clirbench")] == ["clirbench"]
    assert len(modules) < 60
    assert int(calls) < 20_000


def test_every_name_that_is_offered_is_there() -> None:
    assert set(cb.__all__) == NAMES
    assert {name for name in dir(cb) if not name.startswith("__")} == NAMES
    for room in ROOMS:
        package = getattr(cb, room)
        assert package is import_module(f"clirbench.{room}")
        for name in package.__all__:
            assert callable(getattr(package, name)), f"{room}.{name}"
            assert name in dir(package)
    with pytest.raises(AttributeError, match="clirbench.metrics has no 'Bleu'; it has .*BLEU"):
        _ = cb.metrics.Bleu  # type: ignore[attr-defined]


def test_the_parts_are_the_classes_that_conf_names() -> None:
    groups = {"corpus": "corpora", "metric": "metrics"} | {name: name for name in ROOMS} | {"analyzer": "retrieval"}
    offered = {room: {getattr(getattr(cb, room), name) for name in getattr(cb, room).__all__} for room in ROOMS}
    for group, room in groups.items():
        for path in (PACKAGE / "conf" / group).glob("*.yaml"):
            node = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
            target = node.get("_target_") or next((v["_target_"] for v in node.values() if "_target_" in (v or ())), "")
            if target:
                module, _, name = target.rpartition(".")
                assert getattr(import_module(module), name) in offered[room], path


@pytest.mark.parametrize(
    "module", ["api.outcome", "api.running", "api.scoring", "labs.collections.outcome", "labs.collections.memory"]
)
def test_every_example_runs(module: str, home: Path) -> None:
    found = import_module(f"clirbench.{module}")
    failed, tried = doctest.testmod(found, optionflags=doctest.ELLIPSIS)
    assert failed == 0
    assert tried > 0


def test_every_public_name_has_an_example() -> None:
    for name in sorted(NAMES - set(ROOMS) - {"ClirbenchError"}):
        assert ">>> " in (getattr(cb, name).__doc__ or ""), name
    for name, member in vars(cb.Outcome).items():
        if not name.startswith("_") and (callable(member) or isinstance(member, property)):
            assert ">>> " in (member.__doc__ or ""), name


@pytest.mark.release
def test_a_user_s_script_is_typed_from_the_wheel(tmp_path: Path) -> None:
    """The wheel alone, in a folder of its own beside the libraries: `mypy --strict` finds all that is offered."""
    build = [
        str(Path(sys.executable).with_name("hatchling")),
        "build",
        "--target",
        "wheel",
        "--directory",
        str(tmp_path),
    ]
    subprocess.run(build, cwd=PACKAGE, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(tmp_path / "site")
    script = tmp_path / "script.py"
    script.write_text((Path(__file__).parent / "user_script.py").read_text(encoding="utf-8"), encoding="utf-8")
    for text, expected in ((script.read_text(), 0), (script.read_text().replace("ChrF(beta=3)", "ChrF(bta=3)"), 1)):
        script.write_text(text, encoding="utf-8")
        arguments = ["--strict", "--config-file=", "--follow-imports=silent", "--ignore-missing-imports", str(script)]
        done = subprocess.run(
            [sys.executable, "-m", "mypy", *arguments],
            cwd=tmp_path,
            env={**os.environ, "MYPYPATH": str(tmp_path / "site"), "MYPY_CACHE_DIR": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == expected, done.stdout + done.stderr
    assert 'Unexpected keyword argument "bta" for "ChrF"' in done.stdout


@pytest.mark.release
def test_pyright_takes_what_mypy_takes() -> None:
    pytest.importorskip("pyright", reason="PYRIGHT ABSENT: the user's script is typed by mypy alone")
    script = Path(__file__).parent / "user_script.py"
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, str(script)]
    done = subprocess.run(command, cwd=PACKAGE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


TABLE = pd.DataFrame({"BLEU": [1, 2, 3], "MAP": [0.1, 0.3, 0.2]}, index=list("abc"))
QRELS: dict[str, dict[str, int]] = {"1": {"d": 1}}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: cb.run("nope"), "unknown experiment 'nope'"),
        (lambda: cb.run(3), "a name or a folder was expected.*not int"),  # type: ignore[arg-type]
        (lambda: cb.run("demo", metric=None), "metric=None: null is no name"),
        (lambda: cb.run("demo", metric={"a": 1}), "is no name"),
        (lambda: cb.run("demo", metrics=[cb.metrics.BLEU()]), r"Type metric=\[BLEU"),
        (lambda: cb.run("demo", metric=[cb.metrics.BLEU]), r"did you mean BLEU\(\)"),
        (lambda: cb.run("demo", metric=["BLUE", cb.metrics.ChrF()]), "unknown metric 'BLUE'. Did you mean 'BLEU'"),
        (lambda: cb.run("demo", metric=["BLEU", cb.metrics.BLEU()]), "metric BLEU is listed twice"),
        (lambda: cb.run("demo", relevnce__k=10), "Type relevance__k=10"),
        (lambda: cb.run("demo", check=True).save("x"), "check=True ran nothing"),
        (lambda: cb.run("demo", out="x"), r"save\(DIR\) of the result writes"),
        (lambda: cb.run("demo", topics="q.tsv"), 'type topics="tsv" topics__path="q.tsv"'),
        (lambda: cb.run("demo", correlation=None), "is no single value; its keys are"),
        (lambda: cb.run(folder=None), "folder is not set"),
        (lambda: cb.run(corpus=cb.corpora.Demo(), nope=3), "there is no key 'nope'"),
        (lambda: cb.run("demo", metrics="BLEU,TER"), r'Type metric=\["BLEU", "TER"\]'),
        (lambda: cb.run(corpus=cb.metrics.BLEU()), "is not a CorpusSource"),
        (lambda: cb.run(retrieval={"dense": cb.retrieval.Dense()}), "none of dense is the first"),
        (lambda: cb.run("demo", topics__analyzer=cb.retrieval.English()), "give what it belongs to as one, topics="),
        (lambda: cb.run("demo", seed={1}), "seed=.1. must be a whole number"),
        (lambda: cb.run("folder", topics__m=3), "all keys of topics: .*topics__n"),
        (lambda: cb.run(corpus=cb.corpora.Folder), r"did you mean FolderCorpus\(\)"),
        (lambda: cb.load("."), "not the folder of a finished run"),
        (lambda: cb.load(3), "the folder of a run was expected"),  # type: ignore[arg-type]
        (lambda: cb.correlate(TABLE, None), r'measures=None: a list of names was expected, measures=\["A", "B"\]'),  # type: ignore[arg-type]
        (lambda: cb.correlate(TABLE, ["MAP"], given=3), "given=3: a list of names"),  # type: ignore[arg-type]
        (lambda: cb.correlate(TABLE, []), r'MAP, named as .*type measures=\["MAP"\]'),
        (lambda: cb.pool([]), "no two of these collections"),
        (lambda: cb.pool(3), "the folder of a run was expected"),  # type: ignore[arg-type]
        (lambda: cb.score(["a"], ["a", "b"], "BLEU"), "1 hypotheses for references of 2 lines"),
        (lambda: cb.score(["a"], ["a"], "COMET"), "COMET.*path"),
        (lambda: cb.score([], [], "BLEU"), "nothing to score"),
        (lambda: cb.score("a", "b", "BLEU"), "a list of lines was expected"),
        (lambda: cb.score(["a"], ["a"], None), "None is not a Metric"),  # type: ignore[arg-type]
        (lambda: cb.evaluate(QRELS, QRELS, None), "None is not a Measure"),  # type: ignore[call-overload]
        (lambda: cb.evaluate(QRELS, QRELS, ["nope"]), "unknown measure 'nope'"),
        (lambda: cb.evaluate([{"qid": "q", "docno": "d", "label": 0.5}], QRELS, ["AP"]), "relevance .a whole number"),
        (lambda: cb.compare(None, None), "the folder of a run was expected"),  # type: ignore[arg-type]
        (lambda: cb.metrics.ChrF(beta="x"), "must be a number of at least 0"),  # type: ignore[arg-type]
    ],
)
def test_wrong_calls_end_in_words_of_ours(call: Callable[[], object], said: str) -> None:
    with pytest.raises(cb.ClirbenchError, match=said):
        call()
