"""Backends of joblib give the same bytes as the engines of one machine, survive deaths, and say what they need."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from clirbench.engines.base import Engine, leave_clusters
from clirbench.engines.elsewhere import Joblib, close_cluster
from clirbench.engines.local import Serial
from clirbench.errors import ConfigError, InputError, ResourceError
from clirbench.metrics.bleu import BLEU
from clirbench.metrics.chrf import ChrF
from clirbench.metrics.macrof import MacroF
from clirbench.steps import statistics
from tests.conftest import Cli
from tests.engines.test_engines import Alone, Pid, Weighed, done_again
from tests.lines import made_texts

CLUSTERS = [pytest.param(name, marks=pytest.mark.slow) for name in ("dask", "ray")]
pytestmark = pytest.mark.filterwarnings("default")  # of the libraries


@pytest.fixture(autouse=True)
def clusters_end() -> Iterator[None]:
    """The next test starts a cluster of its own."""
    yield
    leave_clusters()


def engine(name: str, workers: int = 2) -> Engine:
    """Two workers on this machine; skipped where the extra is not installed."""
    if name in ("dask", "ray"):
        library = {"dask": "distributed", "ray": "ray"}[name]
        pytest.importorskip(library, reason=f"engine={name} needs {library}: pip install '.[{name}]'")
    return Joblib(name, workers)


@pytest.mark.parametrize("name", ["loky", *CLUSTERS])
def test_what_a_killed_worker_had_in_hand_is_done_again(tmp_path: Path, name: str) -> None:
    done_again(engine(name), tmp_path)


@pytest.mark.parametrize("name", ["loky", "threading", *CLUSTERS])
def test_every_backend_gives_the_same_bytes(tmp_path: Path, name: str) -> None:
    test, texts = made_texts(tmp_path, 5)
    items = [(metric, test, text) for text in texts for metric in (BLEU(), ChrF(), MacroF())]
    made = engine(name)
    assert isinstance(made, Engine)
    assert list(made.pmap(counted, [])) == []
    expected = Serial().pmap(counted, items)
    for found, one in zip(made.pmap(counted, items), expected, strict=True):
        assert found == one


def counted(item: Any) -> Any:
    made = statistics(*item)
    return [np.asarray(one).tobytes() for one in ([made] if isinstance(made, np.ndarray) else vars(made).values())]


@pytest.mark.parametrize("name", ["loky", *CLUSTERS])
def test_errors_come_through_and_one_worker_is_another_process(name: str) -> None:
    with pytest.raises(InputError, match="^file x: line 1: so it is$"):
        list(engine(name, 1).pmap(Pid(), ["fail"]))
    assert os.getpid() not in set(engine(name, 1).pmap(Pid(), [""]))
    with pytest.raises(ResourceError, match="a worker process was killed .* a rerun does only what is missing"):
        list(engine(name, 1).pmap(Pid(), ["die"]))


def test_what_takes_a_whole_machine_is_done_one_by_one_in_another_process() -> None:
    assert os.getpid() not in set(Joblib(workers=4).pmap(Alone(), ["", "", ""]))


def test_what_a_backend_needs_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, library in (("dask", "distributed"), ("ray", "ray")):
        monkeypatch.setitem(sys.modules, library, None)
        with pytest.raises(ResourceError, match=rf"engine={name} needs .*pip install '\.\[{name}\]'"):
            list(Joblib(name).pmap(Weighed(), [1]))
    with pytest.raises(ConfigError, match="engine.backend='moon' is not one of loky, threading, dask, ray"):
        Joblib("moon")
    with pytest.raises(ConfigError, match="engine.address is of backends dask and ray"):
        Joblib(address="auto")


def test_an_engine_that_is_gone_names_the_new_spelling(cli: Cli) -> None:
    done = cli("engine=slurm")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "engine=slurm: is no name of engine; type engine=dask engine.address=tcp://HOST:PORT, with" in done.stderr


def test_a_cluster_is_not_closed_while_a_killed_worker_is_started_again() -> None:
    """distributed 2026.8 asserts in `SpecCluster._close` that each worker is closing, closed or failed by then."""
    distributed = pytest.importorskip("distributed", reason="needs distributed: pip install '.[dask]'")

    class Restarting:
        seen: ClassVar[list[str]] = ["init", "starting", "running"]

        @property
        def status(self) -> Any:
            return distributed.Status[self.seen.pop(0) if len(self.seen) > 1 else self.seen[0]]

    class Closing:
        workers: ClassVar[dict[int, Restarting]] = {0: Restarting()}

        def close(self) -> None:
            assert Restarting.seen == ["running"]
            self.workers.clear()

    cluster = Closing()
    close_cluster(cluster)
    assert not cluster.workers
