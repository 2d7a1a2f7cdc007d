"""`systems/toolkit=NAME`: how a training toolkit calls its checkpoints; other files beside them are no checkpoints."""

from collections.abc import Sequence
from dataclasses import dataclass

from clirbench.checks import name_list

HERE = "%checkpoint%"


@dataclass(frozen=True)
class Toolkit:
    """`names`: patterns of what stands for `%checkpoint%` in a pattern of paths, each a way to name a checkpoint."""

    names: Sequence[str]

    def patterns(self, text: str) -> tuple[str, ...]:
        """The pattern with each name in the place of `%checkpoint%`; below the folder where it does not have that."""
        whole = text if HERE in text else f"{text.rstrip('/')}/{HERE}"
        return tuple(whole.replace(HERE, name) for name in name_list("systems.toolkit.names", self.names))
