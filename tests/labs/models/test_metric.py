"""Learned metrics: programs that score, presets with stand-ins for their programs, and every way in which they fail."""

import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from clirbench.errors import ClirbenchError, ConfigError, InputError, ResourceError
from clirbench.labs.models.metric import ProgramMetric
from clirbench.text import TextLines
from clirbench.types import TestSet
from tests.labs.models.made_up import SCORE, asked_of, program
from tests.metrics.agreement import system_scores

TEST = TestSet((("a b", "c", "d e f"),), ("s1", "s2", "s3"))
SYSTEMS = {"x": TextLines(("a", "c d", "e f g h")), "y": TextLines(("a b c", "", "d"))}
COUNT = f"{sys.executable} -c 'import sys; [print(len(line.split())) for line in open(sys.argv[1])]' {{hypothesis}}"


def scores(metric: ProgramMetric, test: TestSet = TEST) -> dict[str, float]:
    return system_scores(metric, SYSTEMS, test)


def made_up(log: Path, work: str = SCORE, **settings: Any) -> ProgramMetric:
    return ProgramMetric("made", program(log, work).command, **settings)


def test_a_scorer_reads_segments_and_is_asked_once(tmp_path: Path) -> None:
    log, cache = tmp_path / "log", str(tmp_path / "cache")
    metric = made_up(log, cache=cache, scale=10)
    assert scores(metric) == pytest.approx({"x": (1 + 3 + 7) / 3, "y": (5 + 0 + 1) / 3})
    assert asked_of(log) == [line for text in SYSTEMS.values() for line in text.lines()]
    assert scores(made_up(log, cache=cache, aggregate="median")) == pytest.approx({"x": 0.3, "y": 0.1})
    assert len(asked_of(log)) == 6
    other = TestSet((("a b", "c", "other"),), TEST.source)
    scores(metric, other)
    scores(made_up(log, cache=cache, version="2"))
    assert len(asked_of(log)) == 18
    assert metric.statistics(SYSTEMS["x"].lines(), TEST).sum(0).tolist() == pytest.approx([11, 3])


def test_files_in_the_place_of_lines(tmp_path: Path) -> None:
    assert scores(ProgramMetric("words", COUNT)) == pytest.approx({"x": 7 / 3, "y": 4 / 3})
    paste = "paste -d '|' {hypothesis} {reference} {source} | awk '{print \"score: \" length($0); print \"noise\"}'"
    assert scores(ProgramMetric("all", paste, pattern="score: (.*)")) == pytest.approx(
        {"x": (8 + 8 + 16) / 3, "y": (12 + 5 + 10) / 3}
    )


FAILS: list[tuple[dict[str, Any], type[ClirbenchError], str]] = [
    ({"command": ""}, ConfigError, "made: command: is empty"),
    ({"command": "cat", "pattern": "x"}, ConfigError, "needs a group"),
    ({"command": "cat", "pattern": "("}, ConfigError, "is no regular expression"),
    ({"command": "cat", "aggregate": "max"}, ConfigError, "aggregate"),
    ({"command": "head -n 2"}, ClirbenchError, "is not a number|6 source lines were given"),
    ({"command": "sed s/.*/nan/"}, ResourceError, "made: output of command sed: line 1: 'nan'"),
    ({"command": "sleep 60", "timeout": 0.2}, ResourceError, "ran out of time"),
    ({"command": "no-such-program {hypothesis}"}, ResourceError, "exit status 127; stderr ends: .*not found"),
    ({"command": "head -n 2 {hypothesis}"}, ClirbenchError, "is not a number|2 lines came back"),
]


@pytest.mark.parametrize(("settings", "kind", "message"), FAILS, ids=[str(row[0]["command"]) for row in FAILS])
def test_what_goes_wrong_is_named(settings: dict[str, Any], kind: type[ClirbenchError], message: str) -> None:
    with pytest.raises(kind, match=message):
        scores(ProgramMetric("made", **settings))


def test_a_source_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\{source\} is asked for, but the test set has no source.txt"):
        scores(ProgramMetric("made", "cat {source} {hypothesis}"), TestSet(TEST.references))


CONF = Path(__file__).resolve().parents[3] / "clirbench" / "labs" / "models" / "conf" / "metric"
HEAD = f"#!{sys.executable}\nimport argparse, json, sys\np = argparse.ArgumentParser(allow_abbrev=False)\n"
LINES = "score = lambda h, r: round(len(h) / (1 + len(r)), 4)\nread = lambda f: [line.strip() for line in open(f)]\n"
COMET = """
for flag in ("-s", "-t", "-r", "--model"): p.add_argument(flag, required=True)
p.add_argument("--batch_size", type=int); p.add_argument("--gpus", type=int)
a = p.parse_args(); print("Fetching 5 files: score: 7", file=sys.stderr)
assert a.model == "Unbabel/wmt22-comet-da" and len(read(a.s)) == len(read(a.t))
for n, (h, r) in enumerate(zip(read(a.t), read(a.r))): print(f"{a.t}\\tSegment {n}\\tscore: {score(h, r):.4f}")
print(f"{a.t}\\tscore: 0.5000")
"""
BERTLINES = """
for flag in ("-c", "-r", "--lang", "-m"): p.add_argument(flag, required=True)
p.add_argument("-b", type=int); p.add_argument("--seg_level", action="store_true")
a = p.parse_args(); assert a.seg_level
print("roberta-large_L17_no-idf_version=0.3.12(hug_trans=4.40.0) P: 0.900000 R: 0.900000 F1: 0.900000")
for h, r in zip(read(a.c), read(a.r)): print(f"0.100000\\t0.200000\\t{score(h, r):.6f}")
"""
PYTHON = """
if sys.argv[1] == "-c":
    code, sys.argv = sys.argv[2], ["-c", *sys.argv[3:]]
    exec(code); sys.exit()
module = sys.argv[2]; given = sys.argv[3:]
if module == "bleurt.score_files":
    f = dict(one.lstrip("-").split("=", 1) for one in given)
    assert set(f) == {"candidate_file", "reference_file", "bleurt_checkpoint", "bleurt_batch_size"}
    print("Reading checkpoint BLEURT-20.")
    for h, r in zip(read(f["candidate_file"]), read(f["reference_file"])): print(score(h, r))
else:
    assert module == "metricx24.predict"
    for flag in ("tokenizer", "model_name_or_path", "max_input_length", "batch_size", "input_file", "output_file"):
        p.add_argument("--" + flag, required=True)
    a = p.parse_args(given); print("a bar on stdout 50%")
    with open(a.output_file, "w") as out:
        for line in open(a.input_file):
            one = json.loads(line); assert set(one) == {"source", "hypothesis", "reference"}
            one["prediction"] = score(one["hypothesis"].strip(), one["reference"].strip())
            out.write(json.dumps(one) + "\\n")
"""
REFERENCE = ("the price of oil", "pearls", "a farm", "it's “quoted”")
PRESET_TEST = TestSet((REFERENCE,), ("der preis", "perlen", "ein hof", "es ist"))
OUTPUTS = {"a": ("the price", "pearl", "", "it's"), "b": ("price of oil\r", "a\u2028b", "a farm", "x y z")}


def preset(name: str, folder: Path, **changed: Any) -> ProgramMetric:
    """The preset as its file has it, run with the programs of a folder."""
    settings = yaml.safe_load((CONF / f"{name}.yaml").read_text(encoding="utf-8"))[name]
    assert settings.pop("_target_") == "clirbench.labs.models.metric.ProgramMetric"
    settings["environment"]["BIN"] = f"{folder}/"
    return ProgramMetric(**{**settings, "cache": str(folder / "cache"), **changed})


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    for name, code in (("comet-score", COMET), ("bert-score", BERTLINES), ("python", PYTHON)):
        (tmp_path / name).write_text(HEAD + LINES + code, encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    return tmp_path


@pytest.mark.parametrize("name", ["RunCOMET", "RunMetricX", "RunBLEURT", "RunBERTScore"])
def test_scores_of_each_segment_come_back_in_order(programs: Path, name: str) -> None:
    metric = preset(name, programs)
    assert metric.higher_is_better == (name != "RunMetricX")
    assert metric.name == name
    found = metric.for_systems({system: TextLines(lines) for system, lines in OUTPUTS.items()}, PRESET_TEST)
    for system, lines in OUTPUTS.items():
        each = [round(len(h.strip()) / (1 + len(r)), 4) for h, r in zip(lines, REFERENCE, strict=True)]
        scored = found[system]
        assert float(scored.score(scored.statistics(lines, PRESET_TEST).sum(0))) == pytest.approx(sum(each) / 4)
    for name_ in ("comet-score", "bert-score", "python"):
        (programs / name_).unlink()
    again = metric.for_systems({system: TextLines(lines) for system, lines in OUTPUTS.items()}, PRESET_TEST)
    assert again == found
