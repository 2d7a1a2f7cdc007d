"""What may be claimed of a scoreboard's metrics: thousands of exchanges of its units, tried once."""

from dataclasses import asdict, dataclass
from typing import Any

import scipy

from clirbench.scoreboard import Scoreboard
from clirbench.statistics.units.belonging import Units
from clirbench.statistics.units.claims import claims


@dataclass(frozen=True)
class Claims:
    """(scoreboard, units) -> the fields of every `Claim`."""

    alpha: float
    seed: int

    @property
    def signature(self) -> str:
        """Whose quantiles these are: part of the key of the result."""
        return f"scipy-{scipy.__version__}"

    def __call__(self, item: tuple[Scoreboard, Units]) -> list[dict[str, Any]]:
        board, units = item
        return [asdict(claim) for claim in claims(board, units, alpha=self.alpha, seed=self.seed)]
