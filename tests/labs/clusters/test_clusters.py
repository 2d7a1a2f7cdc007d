"""Clusters give the same bytes as the engines of one machine, and say what they need."""

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from clirbench.engines.base import Engine
from clirbench.engines.local import Serial, close_workers
from clirbench.errors import ConfigError, InputError, ResourceError
from clirbench.labs.clusters.dask import Dask, close_cluster
from clirbench.labs.clusters.ray import Ray
from clirbench.labs.clusters.slurm import Slurm
from clirbench.metrics.bleu import BLEU
from clirbench.metrics.macrof import MacroF
from clirbench.steps.statistics import SegmentStatistics
from tests.engines.test_engines import Pid, Weighed, at_once, done_again
from tests.lines import made_texts

__all__ = ["at_once"]  # a fixture that every test uses


@pytest.fixture(autouse=True)
def workers_end() -> Iterator[None]:
    """The next test starts a cluster of its own."""
    yield
    close_workers()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dask", pytest.param("ray", marks=pytest.mark.release), "slurm"])
@pytest.mark.filterwarnings("default")  # of the libraries
def test_what_a_killed_worker_had_in_hand_is_done_again(tmp_path: Path, name: str) -> None:
    done_again(cluster(name, tmp_path), tmp_path)


def cluster(name: str, folder: Path) -> Engine:
    """A cluster engine of two workers on this machine; skipped where its extra is not installed."""
    library, engine = {
        "dask": ("distributed", Dask(workers=2)),
        "ray": ("ray", Ray(workers=2)),
        "slurm": ("submitit", Slurm(str(folder / "jobs"), workers=1, cluster="local")),
    }[name]
    pytest.importorskip(library, reason=f"engine={name} needs {library}: pip install '.[{name}]'")
    return engine


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dask", "ray", "slurm"])
@pytest.mark.filterwarnings("default")  # of the libraries
def test_clusters_give_the_same_bytes(tmp_path: Path, name: str) -> None:
    test, texts = made_texts(tmp_path, 5)
    items = [(metric, text) for text in texts for metric in (BLEU(), MacroF())]
    engine = cluster(name, tmp_path)
    assert isinstance(engine, Engine)
    assert list(engine.pmap(SegmentStatistics(test), [])) == []
    expected = Serial().pmap(SegmentStatistics(test), items)
    for found, one in zip(engine.pmap(SegmentStatistics(test), items), expected, strict=True):
        for array in ("data", "indices", "indptr"):
            if hasattr(one, "indptr"):
                assert getattr(found, array).tobytes() == getattr(one, array).tobytes()
        assert (found.todense() if hasattr(found, "todense") else found).tobytes() == (
            one.todense() if hasattr(one, "todense") else one
        ).tobytes()
    if name == "slurm":
        assert list((tmp_path / "jobs").iterdir()) == []


def test_what_a_cluster_needs_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for library in ("distributed", "ray", "submitit"):
        monkeypatch.setitem(sys.modules, library, None)
    for engine, extra in (
        (Dask(), "dask"),
        (Ray(), "ray"),
        (Slurm(str(tmp_path)), "slurm"),
    ):
        with pytest.raises(ResourceError, match=rf"engine={extra} needs .*pip install '\.\[{extra}\]'"):
            list(engine.pmap(Weighed(), [1]))
    with pytest.raises(ConfigError, match="engine.cluster='moon' is not one of slurm, local"):
        Slurm(str(tmp_path), cluster="moon")


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # of the library
@pytest.mark.parametrize(("options", "minutes"), [(None, 24 * 60), ({"timeout_min": 7}, 7)])
def test_a_job_of_a_queue_has_a_day(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, options: dict[str, Any] | None, minutes: int
) -> None:
    """submitit's own default ends a job after 5 minutes: on a busy machine that is in the middle of a step."""
    submitit = pytest.importorskip("submitit", reason="needs submitit: pip install '.[slurm]'")
    asked: dict[str, Any] = {}

    class Heard(submitit.AutoExecutor):  # type: ignore[misc, name-defined]
        def update_parameters(self, **parameters: Any) -> None:
            asked.update(parameters)
            super().update_parameters(**parameters)

    monkeypatch.setattr(submitit, "AutoExecutor", Heard)
    assert len(list(Slurm(str(tmp_path), workers=1, cluster="local", options=options).pmap(Pid(), ["one"]))) == 1
    assert asked["timeout_min"] == minutes


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # of the libraries
def test_a_gpu_is_asked_for_of_dask() -> None:
    distributed = pytest.importorskip("distributed", reason="needs distributed: pip install '.[dask]'")
    options = {"resources": {"GPU": 1}}
    with pytest.raises(ResourceError, match="no Dask worker has GPU=1, so tasks would never start"):
        list(Dask(workers=1, options=options).pmap(Pid(), [""]))
    with pytest.raises(InputError, match="^file x: line 1: so it is$"):
        list(Dask(workers=1).pmap(Pid(), ["fail"]))
    assert os.getpid() not in set(Dask(workers=1).pmap(Pid(), [""]))  # one worker is a worker too
    close_workers()
    kinds: dict[str, dict[str, Any]] = {"plain": {}, "with a GPU": {"resources": {"GPU": 1}}}
    spec = {name: {"cls": distributed.Nanny, "options": {"nthreads": 1, **more}} for name, more in kinds.items()}
    queue = {"cls": distributed.Scheduler, "options": {"dashboard": False}}
    with distributed.SpecCluster(spec, queue) as made, distributed.Client(made) as client:
        process = client.run(os.getpid, workers=[made.workers["with a GPU"].worker_address])
        found = Dask(scheduler=made.scheduler_address, workers=4, options=options).pmap(Pid(), [""] * 8)
        assert set(found) == set(process.values())
        close_workers()


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # of the libraries
def test_a_task_that_kills_every_worker_of_dask_is_a_clear_error() -> None:
    pytest.importorskip("distributed", reason="needs distributed: pip install '.[dask]'")
    with pytest.raises(ResourceError, match="engine=dask: .*; a rerun does only what is missing"):
        list(Dask(workers=1).pmap(Pid(), ["die"]))


@pytest.mark.filterwarnings("default")  # of the libraries
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


@pytest.mark.release
@pytest.mark.filterwarnings("default")  # of the libraries
def test_a_gpu_is_asked_for_of_ray() -> None:
    ray = pytest.importorskip("ray", reason="needs ray: pip install '.[ray]'")
    ray.init(num_cpus=4, num_gpus=1, include_dashboard=False, log_to_driver=False)
    with pytest.raises(ResourceError, match="num_gpus=2, so tasks would never start: .* has 1 GPUs"):
        list(Ray(options={"num_gpus": 2}).pmap(Gpus(), [""]))
    assert set(Ray(options={"num_gpus": 1}).pmap(Gpus(), [""] * 4)) == {"0"}
    with pytest.raises(InputError, match="^file x: line 1: so it is$"):
        list(Ray(workers=1).pmap(Pid(), ["fail"]))
    with pytest.raises(ResourceError, match="engine=ray: .*; a rerun does only what is missing"):
        list(Ray(workers=1).pmap(Pid(), ["die"]))
    assert os.getpid() not in set(Ray(workers=1).pmap(Pid(), [""]))  # one worker is a worker too
    close_workers()


@dataclass(frozen=True)
class Gpus:
    """Which GPUs Ray has given to the process."""

    def __call__(self, item: str) -> str:
        return ",".join(map(str, sys.modules["ray"].get_gpu_ids()))


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # of the library
def test_a_gpu_is_asked_for_of_slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A queue of a few lines, which keeps what it is sent and takes nothing."""
    pytest.importorskip("submitit", reason="needs submitit: pip install '.[slurm]'")
    queue = tmp_path / "bin"
    queue.mkdir()
    for name in ("srun", "sbatch"):
        (queue / name).write_text(f"#!/bin/sh\ncat $1 >{tmp_path}/sent\necho queue is shut >&2\nexit 1\n")
        (queue / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{queue}:{os.environ['PATH']}")
    engine = Slurm(str(tmp_path / "jobs"), workers=1, options={"slurm_gres": "gpu:1", "timeout_min": 600})
    with pytest.raises(ResourceError, match="engine=slurm: .*queue is shut"):
        list(engine.pmap(Pid(), ["one"]))
    sent = (tmp_path / "sent").read_text(encoding="utf-8")
    assert "#SBATCH --gres=gpu:1\n" in sent
    assert "#SBATCH --time=600\n" in sent
