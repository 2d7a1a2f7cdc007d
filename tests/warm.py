"""A process that has the program's libraries loaded and forks for each start of the program, two seconds cheaper.

What is forked is what `python -m clirbench` starts: it has its own arguments, folder, environment, module search path
and standard streams, runs the package as the main module, and ends as any Python does. The process that forks has
loaded libraries and the modules of clirbench that most runs load, has used once what compiles or reads something at
its first use (grammars, the page's template, compiled loops, a table), has done no run, and has no thread.
Its seed for hashes is fixed, so starts take turns between two of them. Tests about processes themselves (kills,
signals, terminals) start real ones.
"""

import gc
import importlib
import json
import os
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from select import select
from typing import Any, NoReturn

PACKAGE = Path(__file__).resolve().parents[1]
LIBRARIES = (
    "antlr4.LL1Analyzer", "hydra", "hydra._internal.config_loader_impl",
    "hydra._internal.core_plugins.basic_launcher", "hydra.experimental.callback", "hydra.experimental.compose",
    "hydra.experimental.initialize", "ir_measures", "joblib", "joblib.externals.loky.process_executor",
    "numpy.random", "psutil", "pytrec_eval", "rich.progress", "rich.table",
    "scipy.optimize", "scipy.sparse", "scipy.special", "scipy.stats",
)  # fmt: skip
OF_MOST_RUNS = (
    "configuration.composing", "corpora.folder", "metrics.chrf", "report.decision", "report.compared",
    "report.terminal", "statistics.correlation", "topics.made",
)  # fmt: skip
AT_LOAD = (
    "PYTHON", "OPENBLAS", "OMP", "MKL", "NPY", "SCIPY", "MPL", "LD_", "LC_", "LANG", "TZ", "HOME", "XDG",
    "TMP", "TERM", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR",
)  # fmt: skip


def load() -> None:
    """Import what a run imports, and use what is made by its first use; the main module itself is left to the run."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from omegaconf import grammar_parser

    for name in LIBRARIES:
        importlib.import_module(name)
    for text in ("a.b=[c,1,'d']", "+a/b=c", "~a", "a=/b/c_d-e", "a={b: 'c d', e: 1.5}", "a=null", 'a="b"', "a=1,2"):
        OverridesParser.create().parse_override(text)  # the tables of two grammars are made by use
    grammar_parser.parse("${a.b}")
    source = (PACKAGE / "clirbench" / "__main__.py").read_text(encoding="utf-8")
    for line in source.splitlines():
        if line.strip().startswith("from clirbench."):
            importlib.import_module(line.split()[1])
    for name in OF_MOST_RUNS:
        importlib.import_module(f"clirbench.{name}")
    first_use()


def first_use() -> None:
    """Load compiled loops and the report's template."""
    import numpy as np

    from clirbench.metrics.bleu import BLEU
    from clirbench.metrics.macrof import MacroF
    from clirbench.report.html.page import _environment
    from clirbench.retrieval.bm25 import BM25
    from clirbench.statistics.agreement import agreements
    from clirbench.types import Document, Documents, TestSet, Topic

    for metric in (BLEU(), MacroF()):
        metric.score(metric.statistics(["a b"], TestSet((("a b",),), ("a b",))).sum(axis=0))
    BM25().rank(Documents.of([Document("1", "oil price"), Document("2", "x")]), [Topic.of("t", "oil")])
    agreements(np.arange(9.0)[None], np.arange(9.0), np.arange(9))
    _environment().get_template("page.html.j2")


def serve() -> dict[str, Any]:
    """Fork for each line of standard input; in the child, return what is to be run."""
    load()
    gc.freeze()  # pages that the collector never visits stay shared with the children
    print(json.dumps(dict(os.environ)), flush=True)
    for line in sys.stdin:
        assert len(list(Path("/proc/self/task").iterdir())) == 1, "a thread would not live on in the child"
        child = os.fork()
        if not child:
            return dict(json.loads(line))
        print(child, flush=True)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)
    sys.exit()


def become(started: Mapping[str, Any]) -> NoReturn:
    """Be what was to be started."""
    streams = [os.open("/dev/null", os.O_RDONLY), *(os.open(started[name], os.O_WRONLY) for name in ("out", "err"))]
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(started["cwd"])
    os.environ.clear()
    os.environ.update(started["env"])
    named = [path for path in started["env"].get("PYTHONPATH", "").split(os.pathsep) if path]
    # A path that is named comes once: one of an editable install is not added a second time.
    sys.path[:] = [str(Path.cwd()), *named, *(path for path in sys.path[1:] if path not in named)]
    sys.argv[1:] = started["arguments"]
    for name in [name for name in sys.modules if name.partition(".")[0] == "tests"]:
        del sys.modules[name]
    importlib.invalidate_caches()
    runpy._run_module_as_main(started["module"])  # type: ignore[attr-defined]  # what `python -m` does
    sys.exit()


def read_at_load(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that Python, the system and libraries read before the program does."""
    return {name: v for name, v in environment.items() if name.startswith(AT_LOAD) and name != "PYTHONPATH"}


class Warm:
    """Starts `python -m clirbench`, or another module, by a process that forks."""

    def __init__(self) -> None:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.warm"], cwd=PACKAGE, env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        assert self.process.stdout is not None
        self.environment: dict[str, str] = json.loads(self.process.stdout.readline())

    def can(self, environment: Mapping[str, str]) -> bool:
        """Whether it may start a program with this environment: a variable may be read when a library is loaded."""
        return read_at_load(environment) == read_at_load(self.environment)

    def run(
        self, arguments: Sequence[str], cwd: Path, env: Mapping[str, str], timeout: float, module: str = "clirbench"
    ) -> subprocess.CompletedProcess[str]:
        """What `subprocess.run` gives, with standard output and error as text."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with tempfile.NamedTemporaryFile("r+") as out, tempfile.NamedTemporaryFile("r+") as err:
            what = {"module": module, "arguments": arguments, "cwd": str(cwd), "env": dict(env)}
            started = {**what, "out": out.name, "err": err.name}
            print(json.dumps(started), file=self.process.stdin, flush=True)
            child = int(self.process.stdout.readline())
            late = not select([self.process.stdout], [], [], timeout)[0]
            if late:
                os.kill(child, 9)
            status = int(self.process.stdout.readline())
            if late:
                raise subprocess.TimeoutExpired(list(arguments), timeout, out.read(), err.read())
            command = [sys.executable, "-m", module, *arguments]
            return subprocess.CompletedProcess(command, status, out.read(), err.read())

    def close(self) -> None:
        """End it."""
        self.process.communicate()


if __name__ == "__main__":
    become(serve())
