"""Every reader on files that are damaged, cut, swapped or written to harm: a result, or one clear line of ours."""

import random
from importlib import import_module
from pathlib import Path

import pytest

from clirbench.errors import ClirbenchError
from tests.fuzz.budget import INPUTS, SEED, few_calls, refused
from tests.fuzz.mutation import mutated
from tests.fuzz.readers import READERS as CORE, Reader
from tests.hostile import read_or_refused, repeated

LABS = sorted((Path(__file__).resolve().parents[1] / "labs").glob("*/readers.py"))
READERS: tuple[Reader, ...] = (
    *CORE,
    *(one for path in LABS for one in import_module(f"tests.labs.{path.parent.name}.readers").READERS),
)
REFUSED = [(reader, *one) for reader in READERS for one in reader.refused]
HOSTILE = [
    (reader, piece, before, after)
    for reader in READERS
    for piece in reader.hostile
    for before in reader.before
    for after in reader.after
]
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


@pytest.mark.parametrize(
    ("reader", "content", "message"), REFUSED, ids=[f"{one[0].name}-{n}" for n, one in enumerate(REFUSED)]
)
def test_what_is_wrong_is_named(reader: Reader, content: str | bytes, message: str, folder: Path) -> None:
    path = folder / reader.name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ClirbenchError, match=message) as raised:
        reader.read(path)
    assert reader.name in str(raised.value) or "no topics" in message
    assert len(str(raised.value)) <= 600


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("reader", "piece", "before", "after"), HOSTILE, ids=[f"{one[0].name}-{n}" for n, one in enumerate(HOSTILE)]
)
def test_hostile_files_are_read_or_refused_at_once(
    reader: Reader, piece: str, before: str, after: str, folder: Path
) -> None:
    message = read_or_refused(reader.read, folder / reader.name, repeated(piece, before, after))
    assert len(message.replace(str(folder), "")) < 600


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
