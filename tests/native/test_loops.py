"""Compiled loops give numpy's bytes, refuse what does not fit together, and touch no memory but their own.

What numpy computes is compared with sacreBLEU, Lucene and readable forms by the tests of its rooms.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest
from scipy.sparse import csc_array

from clirbench.files import trec
from clirbench.measures import rbo
from clirbench.measures.rbo import RBO
from clirbench.metrics import kernels
from clirbench.metrics.tokens import Tokeniser, code_points, tokens_of
from clirbench.native import library
from clirbench.retrieval import bm25
from clirbench.retrieval.bm25 import BM25
from clirbench.retrieval.postings import asked_terms, known_chunks
from clirbench.systems import grams
from clirbench.types import Document, Documents, Judged, Qrels, Run, Topic
from tests.conftest import PACKAGE as ROOT
from tests.native import hostile

NO_COMPILER = shutil.which("cc") is None
compiled_only = pytest.mark.skipif(library.library() is None, reason="NO LIBRARY: clirbench/native is not compiled")
CHARACTERS = list(".,,-'' 12ab\n\u3000\u00a0é中!(\tBc") + ["ab", "中文", " x "]


def both(monkeypatch: pytest.MonkeyPatch, compute: Any) -> None:
    """The same types and bytes, computed by compiled loops and without them."""
    ours = compute()
    with monkeypatch.context() as without:
        for module in (kernels, grams, bm25, rbo, trec):
            without.setattr(module, "compiled", lambda name: None)
        theirs = compute()
    assert len(ours) == len(theirs) > 0
    for one, other in zip(ours, theirs, strict=True):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        assert one.tobytes() == other.tobytes()


def lines(rng: Any, n: int, longest: int, kinds: int) -> tuple[Any, Any]:
    offsets = np.concatenate([[0], np.cumsum(rng.integers(0, longest, n))])
    return rng.integers(0, kinds, offsets[-1]).astype(np.int32) ** 2 // kinds, offsets


# Alphabets whose keys have 64 bits, 128 and more than that, and those that numpy sorts in several stages.
@compiled_only
@pytest.mark.parametrize(
    ("segments", "longest", "kinds", "references", "order"),
    [(0, 1, 2, 1, 3), (4, 1, 2, 2, 3), (9, 5, 3, 1, 6), (60, 20, 10, 3, 4), (40, 150, 90, 1, 6), (40, 90, 4000, 1, 6),
     (30, 30, 40000, 3, 4), (20, 200, 3, 2, 9), (30, 30, 5000, 1, 12), (20, 30, 40000, 2, 15), (5, 3, 4, 2, 0)],
)  # fmt: skip
def test_matches_and_types(
    monkeypatch: pytest.MonkeyPatch, segments: int, longest: int, kinds: int, references: int, order: int
) -> None:
    rng = np.random.default_rng(order)
    theirs, starts = lines(rng, references * segments, longest, kinds)
    ours, begins = lines(rng, segments, longest, kinds + 9)
    both(monkeypatch, lambda: [kernels.count_matches(ours, begins, kernels.ngrams(theirs, starts, references, order))])
    both(monkeypatch, lambda: kernels.count_types(ours, begins, theirs[: starts[segments]], starts[: segments + 1]))


@compiled_only
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("micro", [True, False])
def test_resamples(monkeypatch: pytest.MonkeyPatch, whole: bool, micro: bool) -> None:
    rng = np.random.default_rng(whole)
    counts = rng.poisson(0.1, (40, 3 * 600)).astype(float)
    counts[:, 2::3] = np.minimum(counts[:, ::3], counts[:, 1::3])
    for samples in (1, 2, 300):
        weights = rng.multinomial(40, np.ones(40) / 40, samples) * (1.0 if whole else rng.random((samples, 40)))
        both(monkeypatch, lambda: [kernels.resampled(csc_array(counts), weights, 2.25, 1.0, micro)])  # noqa: B023


@compiled_only
def test_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Characters without white space, words that are known, sketches, and scores of BM25."""
    rng, tokeniser = np.random.default_rng(0), Tokeniser()
    for _ in range(60):
        texts = ["".join(rng.choice(CHARACTERS, rng.integers(0, 15))) for _ in range(rng.integers(1, 12))]
        block = ("\n".join(texts) + "\n" * int(rng.integers(0, 2))).encode()
        broken = bytes(byte for byte in block if rng.random() < 0.9)
        both(monkeypatch, lambda: kernels.without_white(*code_points(texts)))  # noqa: B023
        both(monkeypatch, lambda: [grams.gram_hashes(held, 1 << 63) for held in (block, broken)])  # noqa: B023

        def numbered() -> list[Any]:
            known = tokens_of(tokeniser, texts[::2])  # noqa: B023
            found = tokens_of(tokeniser, texts, known)  # noqa: B023
            return [found.numbers, found.offsets, np.array(found.types, dtype=str)]

        def ranked() -> list[Any]:
            held = [
                Documents.of(Document(str(i), f"oil {text[cut:]} ab") for i, text in enumerate(texts))  # noqa: B023
                for cut in (0, 3)
            ]
            known_chunks.cache_clear()
            asked_terms.cache_clear()
            asked = [Topic.of(query, query) for query in ("oil", "b 12", "nothing", "12 oil b ab oil")]
            ours, theirs = (BM25(depth=5).rank(documents, asked) for documents in held)
            judged = Judged(Qrels({topic.topic_id: {} for topic in asked}), theirs)
            values = [RBO(depth=depth).per_topic(ours, judged) for depth in (1, 3, 9)]
            return [ours.offsets, ours.documents, ours.scores, ours.tied, ours.n_matched, *values]

        both(monkeypatch, numbered)
        both(monkeypatch, ranked)


@compiled_only
def test_run_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Scores of every size: few decimals, many, next to a power of ten, and such as numpy writes with an exponent."""
    rng, path = np.random.default_rng(0), tmp_path / "a.run"
    near = np.nextafter(np.float32(10) ** rng.integers(-2, 5, 99), np.float32(rng.integers(0, 2, 99) * 99))
    sizes = 10 ** rng.uniform(-2, 5, 999), np.arange(999) / 128, rng.integers(1, 2**23, 999) / 2.0**9, near
    for scores in (*sizes, np.array([1e-9, 0, -3, 1e9])):
        of = {topic: {f"d{i}é": float(score) for i, score in enumerate(scores)} for topic in ("1", "two")}

        def written() -> list[Any]:
            trec.write_run(path, Run.of(of), "a b")  # noqa: B023
            return [np.frombuffer(path.read_bytes(), dtype=np.uint8)]

        both(monkeypatch, written)


@compiled_only
def test_what_does_not_fit_is_refused() -> None:
    done = hostile.give(300)
    assert len(done) == len(hostile.NAMES)
    assert all(taken and (refused or name == "gram_hashes") for name, (taken, refused) in done.items()), done
    numbers, offsets = np.zeros(3, dtype=np.int32), np.array([0, 9])
    with pytest.raises(ValueError, match="count_types: what it was given does not fit together"):
        kernels.count_types(numbers, offsets, numbers, offsets)
    with pytest.raises(ValueError, match="an array of int64 where contiguous i4 is expected"):
        kernels.count_types(offsets, offsets, numbers, offsets)
    overlaps = library.compiled("overlaps")
    assert overlaps is not None
    lists, of_all = [numbers, offsets, offsets, 0, offsets, 0], [0, 0, 0.9, np.ones(1), 2**59, np.ones(1)]
    with pytest.raises(MemoryError, match="overlaps"):  # 2^62 bytes
        overlaps(*lists, *lists[:3], 0, *of_all)


def test_a_library_of_other_sources_is_not_loaded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = library.file_name()
    for path in library.FOLDER.glob("*.[ch]"):
        shutil.copy2(path, tmp_path)
    monkeypatch.setattr(library, "FOLDER", tmp_path)
    assert library.file_name() == before
    (tmp_path / before).write_bytes(b"no library")
    assert library.library.__wrapped__() is None
    (tmp_path / "sums.c").write_text("/* other */")
    assert library.file_name() != before


@pytest.mark.slow
@pytest.mark.skipif(NO_COMPILER, reason="NO COMPILER: cc is absent, no wheel has compiled loops")
def test_a_wheel_has_the_loops_or_does_without_a_compiler(tmp_path: Path) -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if name.startswith(("clirbench/", "conf/", "data_", "LICENSE", "NOTICE", "README", "hatch", "pyproject")):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tmp_path / name)
    for compiler, tag, found in (("cc", r"py3-none-linux_\w+", True), ("absent", "py3-none-any", False)):
        for old in tmp_path.glob("clirbench/native/*.so"):
            old.unlink()
        done = subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path / compiler)],
            cwd=tmp_path, env={**os.environ, "CC": compiler}, capture_output=True, text=True, check=True,
        )  # fmt: skip
        (wheel,) = (tmp_path / compiler).glob("*.whl")
        assert re.fullmatch(rf"clirbench-[\d.]+-{tag}\.whl", wheel.name)
        assert (f"clirbench/native/{library.file_name()}" in ZipFile(wheel).namelist()) == found
        assert ("no compiler 'absent'" in done.stdout + done.stderr) == (not found)


@pytest.mark.slow
@pytest.mark.skipif(NO_COMPILER, reason="NO COMPILER: cc is absent, nothing is sanitized")
def test_hostile_arrays_under_sanitizers(tmp_path: Path) -> None:
    found = subprocess.run(["cc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True).stdout
    if not Path(found.strip()).is_file():
        pytest.skip("NO SANITIZER: the compiler has no libasan")
    path = library.build(tmp_path, "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    environment = {"LD_PRELOAD": found.strip(), "ASAN_OPTIONS": "detect_leaks=0", "PYTHONMALLOC": "malloc"}
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "native" / "hostile.py"), str(path), "2000"],
        env={**os.environ, **environment, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("of_64") == 2
