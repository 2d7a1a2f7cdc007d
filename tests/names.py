"""Names of made-up systems that do not count: one stem with rising numbers would be checkpoints of one run."""

from string import ascii_lowercase


def letter_names(n: int, first: int = 0, width: int = 1) -> tuple[str, ...]:
    """`a0, b1, ..., z25, a26, ...`: numbers of `width` digits, each with its letter."""
    return tuple(f"{ascii_lowercase[i % 26]}{i:0{width}d}" for i in range(first, first + n))
