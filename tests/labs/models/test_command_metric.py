"""The command metric with real programs: what they print, and every way in which they can fail."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clirbench.errors import ClirbenchError, ConfigError, InputError, ResourceError
from clirbench.labs.models.command_metric import CommandMetric
from clirbench.metrics.per_system import per_system
from clirbench.text import TextLines
from clirbench.types import TestSet
from tests.metrics.agreement import corpus_score

TEST = TestSet((("a b", "c", "d e f"),), ("s1", "s2", "s3"))
SYSTEMS = {"x": TextLines(("a", "c d", "e f g h")), "y": TextLines(("a b c", "", "d"))}
# Words of the hypothesis, one count a line; and the same with words around it.
COUNT = "import sys; [print(len(line.split())) for line in open(sys.argv[1])]"
LOG = "open(sys.argv[2], 'a').write(f'called {len(open(sys.argv[1]).readlines())}' + chr(10))"
NOTE = f"import sys; {LOG}; {COUNT}"


def python(code: str, *arguments: str) -> str:
    return f'{sys.executable} -c "{code}" {{hypothesis}} ' + " ".join(arguments)


def scores(metric: CommandMetric) -> dict[str, float]:
    return {
        system: float(metric.score(np.asarray(one.statistics(SYSTEMS[system].lines(), TEST).sum(axis=0)).reshape(-1)))
        for system, one in per_system(metric, SYSTEMS, TEST).items()
    }


def test_one_score_a_line() -> None:
    metric = CommandMetric("words", python(COUNT))
    assert scores(metric) == pytest.approx({"x": 7 / 3, "y": 4 / 3})
    assert scores(CommandMetric("words", python(COUNT), aggregate="median", scale=10)) == {"x": 20, "y": 10}
    assert corpus_score(metric, SYSTEMS["x"].lines(), TEST) == pytest.approx(7 / 3)


def test_reference_source_shell_and_pattern() -> None:
    joined = "paste -d ' ' {hypothesis} {reference} {source}"
    line = joined + """ | awk '{print "Segment", NR, "score: " NF} END {print "all"}'"""
    metric = CommandMetric("words", line, shell=True, pattern=r"score: (\S+)")
    # Words of hypothesis and reference and one of the source.
    assert scores(metric) == pytest.approx({"x": (4 + 4 + 8) / 3, "y": (6 + 2 + 5) / 3})


def test_batches_and_what_is_kept(tmp_path: Path) -> None:
    log = tmp_path / "log"
    one_call = CommandMetric("words", python(NOTE, str(log)), cache=str(tmp_path / "cache"))
    assert scores(one_call) == scores(one_call)
    assert log.read_text() == "called 6\n"  # both systems in one call, and none the second time
    log.write_text("")
    again = CommandMetric("words", python(NOTE, str(log)), cache=str(tmp_path / "cache"), version="2", batch_systems=1)
    scores(again)
    assert log.read_text() == "called 3\ncalled 3\n"


def test_a_later_failure_loses_nothing_that_was_done(tmp_path: Path) -> None:
    log = tmp_path / "log"
    dies = "lines = open(sys.argv[1]).readlines(); lines[1].strip() or sys.exit('no empty lines please')"
    code = f"import sys; {dies}; {NOTE.replace('import sys; ', '')}"
    metric = CommandMetric("words", python(code, str(log)), cache=str(tmp_path / "cache"), batch_systems=1)
    for _ in range(2):
        with pytest.raises(ResourceError, match="exit status 1; stderr ends: no empty lines please"):
            scores(metric)
    assert log.read_text() == "called 3\n"  # x was scored once and kept, y failed twice


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("print(1)", "printed 1 scores for 6 segments"),
        ("[print(1) for _ in range(7)]", "printed 7 scores for 6 segments"),
        ('[print(\\"nan\\") for _ in range(6)]', "line 1: 'nan' is not a finite number"),
        ('[print(\\"oops\\") for _ in range(6)]', "line 1: 'oops' is not a number"),
        ("raise SystemExit(3)", "exit status 3"),
        ("import os; os.kill(os.getpid(), 9)", "killed by SIGKILL"),
    ],
)
def test_programs_that_fail(code: str, message: str) -> None:
    with pytest.raises(ResourceError, match=message):
        scores(CommandMetric("m", python(code)))


def test_a_program_that_hangs_is_ended() -> None:
    with pytest.raises(ResourceError, match="ran out of time and was killed"):
        scores(CommandMetric("m", python("import time; time.sleep(60)"), timeout=0.3))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"command": None}, ConfigError, "must name the file of hypotheses, {hypothesis}"),
        ({"command": "cat"}, ConfigError, "must name the file of hypotheses"),
        ({"command": "no-such-scorer {hypothesis}"}, ResourceError, "no-such-scorer: no such program; install it"),
        ({"command": "cat {hypothesis}", "aggregate": "system"}, ConfigError, "is not one of mean, median"),
        ({"command": "cat {hypothesis}", "pattern": "x"}, ConfigError, "needs a group"),
        ({"command": "cat {hypothesis}", "pattern": "("}, ConfigError, "is no regular expression"),
        ({"command": "cat {hypothesis}", "timeout": 0}, ConfigError, "timeout=0 must be above 0 seconds"),
        ({"command": "cat {hypothesis}", "batch_systems": -1}, ConfigError, "batch_systems=-1 must be 0"),
        ({"command": "cat '{hypothesis}"}, ConfigError, "cannot be split"),
    ],
)
def test_settings_that_make_no_sense(options: dict[str, Any], error: type[ClirbenchError], message: str) -> None:
    with pytest.raises(error, match=message):
        CommandMetric("m", **options)


def test_a_source_that_is_not_there() -> None:
    with pytest.raises(InputError, match=r"{source} is asked for, but the test set has no source.txt"):
        CommandMetric("m", "cat {hypothesis} {source}").statistics(["a"], TestSet((("a",),)))
