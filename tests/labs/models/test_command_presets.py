"""Presets of learned metrics: stand-ins with the interfaces of their programs, as their sources have them."""

import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from clirbench.errors import ResourceError
from clirbench.labs.models.command_metric import CommandMetric
from clirbench.text import TextLines
from clirbench.types import TestSet

CONF = Path(__file__).resolve().parents[3] / "clirbench" / "labs" / "models" / "conf" / "metric"
HEAD = f"#!{sys.executable}\nimport argparse, json, sys\np = argparse.ArgumentParser(allow_abbrev=False)\n"
SCORE = "score = lambda h, r: round(len(h) / (1 + len(r)), 4)\nread = lambda f: [line.strip() for line in open(f)]\n"
COMET = """
for flag in ("-s", "-t", "-r", "--model"): p.add_argument(flag, required=True)
p.add_argument("--batch_size", type=int); p.add_argument("--gpus", type=int)
a = p.parse_args(); print("Fetching 5 files: score: 7", file=sys.stderr)
assert a.model == "Unbabel/wmt22-comet-da" and len(read(a.s)) == len(read(a.t))
for n, (h, r) in enumerate(zip(read(a.t), read(a.r))): print(f"{a.t}\\tSegment {n}\\tscore: {score(h, r):.4f}")
print(f"{a.t}\\tscore: 0.5000")
"""
BERTSCORE = """
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
TEST = TestSet((REFERENCE,), ("der preis", "perlen", "ein hof", "es ist"))
OUTPUTS = {"a": ("the price", "pearl", "", "it's"), "b": ("price of oil\r", "a\u2028b", "a farm", "x y z")}


def preset(name: str, folder: Path, **changed: Any) -> CommandMetric:
    """The preset as its file has it, run with the programs of a folder."""
    settings = yaml.safe_load((CONF / f"{name}.yaml").read_text(encoding="utf-8"))[name]
    assert settings.pop("_target_") == "clirbench.labs.models.command_metric.CommandMetric"
    settings["environment"]["BIN"] = f"{folder}/"
    return CommandMetric(**{**settings, "cache": str(folder / "cache"), **changed})


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    for name, code in (("comet-score", COMET), ("bert-score", BERTSCORE), ("python", PYTHON)):
        (tmp_path / name).write_text(HEAD + SCORE + code, encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    return tmp_path


@pytest.mark.parametrize("name", ["RunCOMET", "RunMetricX", "RunBLEURT", "RunBERTScore"])
def test_scores_of_each_segment_come_back_in_order(programs: Path, name: str) -> None:
    metric = preset(name, programs)
    assert metric.higher_is_better == (name != "RunMetricX")
    assert metric.name == name
    found = metric.for_systems({system: TextLines(lines) for system, lines in OUTPUTS.items()}, TEST)
    for system, lines in OUTPUTS.items():
        each = [round(len(h.strip()) / (1 + len(r)), 4) for h, r in zip(lines, REFERENCE, strict=True)]
        scored = found[system]
        assert float(scored.score(scored.statistics(lines, TEST).sum(0))) == pytest.approx(sum(each) / 4)
    for program in ("comet-score", "bert-score", "python"):
        (programs / program).unlink()
    again = metric.for_systems({system: TextLines(lines) for system, lines in OUTPUTS.items()}, TEST)
    assert again == found


@pytest.mark.parametrize("name", ["RunCOMET", "RunMetricX", "RunBLEURT", "RunBERTScore"])
def test_a_program_that_is_not_there_or_fails_is_named(programs: Path, name: str) -> None:
    for program in ("comet-score", "bert-score", "python"):
        (programs / program).write_text("#!/bin/sh\necho no checkpoint >&2; exit 3\n", encoding="utf-8")
    with pytest.raises(ResourceError, match="exit status 3; stderr ends: no checkpoint"):
        preset(name, programs).for_systems({"a": TextLines(OUTPUTS["a"])}, TEST)
    with pytest.raises(ResourceError, match="not found"):
        preset(name, programs / "nowhere").for_systems({"a": TextLines(OUTPUTS["a"])}, TEST)
