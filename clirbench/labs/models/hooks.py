"""What the core asks this laboratory."""

from pathlib import Path


def is_kept(path: Path) -> bool:
    """Whether a shard of a translation is there and whole."""
    from clirbench.labs.models.translating import read_shard

    return read_shard(path) is not None
