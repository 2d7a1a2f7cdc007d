"""Every reader on files that are damaged, cut, swapped or written to harm: a result, or one clear line of ours."""

import random
from importlib import import_module
from pathlib import Path

import pytest

from tests.fuzz.budget import INPUTS, SEED, few_calls, refused
from tests.fuzz.mutation import mutated
from tests.fuzz.readers import READERS as CORE
from tests.fuzz.readers import Reader

LABS = sorted((Path(__file__).resolve().parents[1] / "labs").glob("*/readers.py"))
READERS = (*CORE, *(one for path in LABS for one in import_module(f"tests.labs.{path.parent.name}.readers").READERS))

SHARE = 0.95
"""Of all inputs; the others are configurations."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    print(f"CLIRBENCH_FUZZ_SEED={SEED}")
    return tmp_path_factory.mktemp("fuzz")


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_a_sample_is_read(reader: Reader, folder: Path) -> None:
    path = folder / reader.name
    path.write_text(reader.sample, encoding="utf-8")
    assert refused(reader.name, lambda: reader.read(path)) == (not reader.sample)


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_damaged_files(reader: Reader, folder: Path) -> None:
    path = folder / reader.name
    n = 0
    for number in range(round(INPUTS * SHARE / len(READERS))):
        content = mutated(random.Random(f"{SEED} {reader.name} {number}"), reader.sample.encode())
        path.write_bytes(content)
        with few_calls():
            n += refused(f"CLIRBENCH_FUZZ_SEED={SEED} {reader.name} number {number}", lambda: reader.read(path))
    assert n > 0, "nothing was ever refused: this reader is not tried"
