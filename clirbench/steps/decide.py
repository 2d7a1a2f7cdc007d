"""Which system to choose: all systems are compared once."""

from dataclasses import asdict, dataclass, fields
from typing import Any

import scipy

from clirbench.statistics.evidence import Evidence
from clirbench.statistics.model.decision import Decision, Pick, Standing, decided
from clirbench.statistics.units.belonging import Units


@dataclass(frozen=True)
class Decide:
    """(evidence, units) -> the fields of the `Decision` on a measure; `same_lines`: see `decide`."""

    measure: str
    same_lines: bool
    seed: int

    @property
    def signature(self) -> str:
        """Whose special functions these are: part of the key of the result."""
        return f"scipy-{scipy.__version__}"

    def __call__(self, item: tuple[Evidence, Units]) -> dict[str, Any]:
        found = decided(*item, self.measure, same_lines=self.same_lines, seed=self.seed)
        held = {field.name: getattr(found, field.name) for field in fields(found)}
        return held | {name: [asdict(row) for row in held[name]] for name in ("standings", "picks")}


def as_decision(held: dict[str, Any]) -> Decision:
    """The `Decision` with these fields."""
    standings = tuple(Standing(**row) for row in held["standings"])
    return Decision(**{**held, "standings": standings, "picks": tuple(Pick(**row) for row in held["picks"])})
