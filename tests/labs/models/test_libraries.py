"""What is advised where a model fails."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from clirbench.errors import ResourceError
from clirbench.labs.models.libraries import by_length

NO_MEMORY = "; a smaller batch_size needs less memory"
UNKNOWN = (
    "; a token or a position is unknown to the model: take the tokenizer that it was trained with, "
    "or lower retrieval.encoder.max_tokens to its positions (its config.json: 64)"
)


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        (RuntimeError("CUDA out of memory. Tried to allocate 20.00 MiB"), NO_MEMORY),  # torch.OutOfMemoryError
        (RuntimeError("[enforce fail at alloc_cpu.cpp:75] . DefaultCPUAllocator: can't allocate memory"), NO_MEMORY),
        (RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"), NO_MEMORY),
        (MemoryError(), NO_MEMORY),
        (IndexError("index out of range in self"), UNKNOWN),  # torch's words for an embedding that is not there
        (ValueError("Asking to pad but the tokenizer does not have a padding token"), ""),
    ],
)
def test_the_advice_is_about_the_error(error: Exception, advice: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"max_position_embeddings": 64}', encoding="utf-8")

    def work(batch: Sequence[str]) -> Sequence[str]:
        raise error

    with pytest.raises(ResourceError) as raised:
        by_length(["a line"], 2, tmp_path, "retrieval.encoder.max_tokens", work)
    assert str(raised.value) == f"{tmp_path}: {type(error).__name__}: {error}{advice}"
