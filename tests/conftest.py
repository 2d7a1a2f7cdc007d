"""Shared fixtures: where the real data lie, and how Hypothesis runs."""

import csv
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import cycle
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.warm import Warm

# Where this is set, every worker and each of the hundreds of programs that tests start would compile libraries anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# As the program does, before numpy is loaded: threads of several tests would wait for one another.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# What a shell starts with `&` ignores Ctrl-C, and so would every program that is to be interrupted.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"

# The clock is never asserted, nor by Hypothesis. The same examples each time: a red test stays red.
settings.register_profile("clirbench", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("clirbench")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data beside the project; tests that need it are skipped, loudly, where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("REAL DATA ABSENT: ../shared/data does not lie beside the project, agreement is not tested")
    return SHARED


PACKAGE = Path(__file__).resolve().parents[1]
DEMO = PACKAGE / "clirbench" / "data" / "demo"


class Cli:
    """Runs the program as a user does, in an empty folder."""

    def __init__(self, cwd: Path, *packages: Path) -> None:
        """packages: folders of packages beside the program's own."""
        self.cwd = cwd
        self.path = os.pathsep.join(map(str, (cwd, PACKAGE, *packages)))

    def __call__(
        self, *arguments: str, timeout: float = 240, module: str = "clirbench"
    ) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": self.path}
        warm = next(warm_processes())
        if warm.can(environment):
            return warm.run(arguments, self.cwd, environment, timeout, module)
        command = [sys.executable, "-m", module, *arguments]
        return subprocess.run(
            command, cwd=self.cwd, env=environment, capture_output=True, check=False, text=True, timeout=timeout
        )

    def succeed(self, *arguments: str, timeout: float = 240) -> subprocess.CompletedProcess[str]:
        """The same; fails, with what the program said, where its status is not 0."""
        done = self(*arguments, timeout=timeout)
        assert done.returncode == 0, done.stdout + done.stderr
        return done


@cache
def warm_processes() -> Iterator[Warm]:
    """Two processes that fork, in turn: what depends on the order of a set shows between them."""
    return cycle([Warm(), Warm()])


@pytest.fixture(scope="session", autouse=True)
def _ended() -> Iterator[None]:
    """Ends the processes that fork, where there are any."""
    yield
    if warm_processes.cache_info().currsize:
        next(warm_processes()).close()
        next(warm_processes()).close()


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """The command line, run in an empty folder of its own."""
    return Cli(tmp_path)


@pytest.fixture
def small_folder(tmp_path: Path) -> Path:
    """A folder of MT outputs: 60 English lines in 10 documents, four systems that drop every n-th word."""
    return _small_folder(tmp_path / "small")


@pytest.fixture(scope="session")
def small_texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same folder, for tests that change nothing in it."""
    return _small_folder(tmp_path_factory.mktemp("texts") / "small")


def _small_folder(folder: Path) -> Path:
    lines = (DEMO / "reference.txt").read_text(encoding="utf-8").split("\n")[:60]
    write_lines(folder / "reference.txt", lines)
    write_lines(folder / "source.txt", [line[::-1] for line in lines])
    rows = [f"{number}\tdoc{(number - 1) // 6}" for number in range(1, 61)]
    write_lines(folder / "docs.tsv", ["line\tdoc_id", *rows])
    for n in (2, 3, 5, 9):
        dropped = [" ".join(w for i, w in enumerate(line.split()) if i % n) for line in lines]
        write_lines(folder / "systems" / f"every{n}.txt", dropped)
    return folder


def put(path: Path, content: str) -> Path:
    """Write a file, and make the folders that it is in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def write_lines(path: Path, lines: Iterable[str]) -> Path:
    """Write lines, each ended by a newline."""
    return put(path, "".join(f"{line}\n" for line in lines))


def records(path: Path) -> list[dict[str, str]]:
    """The rows of a table with tabs, by column: what the program writes, without its own reader."""
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
