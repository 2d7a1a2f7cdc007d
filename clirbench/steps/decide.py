"""Which system to ship: the posterior of all systems is drawn once."""

from dataclasses import asdict, dataclass, fields
from typing import Any

import scipy

from clirbench.statistics.choice import decided
from clirbench.statistics.evidence import Evidence
from clirbench.statistics.model.decision import Decision
from clirbench.statistics.model.shipping import Regret, Standing
from clirbench.statistics.units.belonging import Units


@dataclass(frozen=True)
class Decide:
    """(evidence, units) -> the fields of the `Decision` on a measure; `same_lines`: see `decide`."""

    measure: str
    same_lines: bool
    seed: int

    @property
    def signature(self) -> str:
        """Whose least squares and quantiles these are: part of the key of the result."""
        return f"scipy-{scipy.__version__}"

    def __call__(self, item: tuple[Evidence, Units]) -> dict[str, Any]:
        found = decided(*item, self.measure, same_lines=self.same_lines, seed=self.seed)
        held = {field.name: getattr(found, field.name) for field in fields(found)}
        return held | {name: [asdict(row) for row in held[name]] for name in ("standings", "regrets")}


def as_decision(held: dict[str, Any]) -> Decision:
    """The `Decision` with these fields."""
    standings = tuple(Standing(**row) for row in held["standings"])
    regrets = tuple(Regret(**row) for row in held["regrets"])
    return Decision(**{**held, "systems": tuple(held["systems"]), "standings": standings, "regrets": regrets})
