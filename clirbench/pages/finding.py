"""A finding: a kind, its values, and the one sentence that is made from them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from clirbench.pages.wording import listed, number

MOST = 6
"""The most names in one list."""


@dataclass(frozen=True)
class Finding:
    """What a run found, as data; `template` is a format string whose fields are names of `values`;
    findings about metrics have none, because the answer puts several into one sentence.

    Values are cells of the run's tables: names, numbers, `(low, high)` intervals, lists of names. A name that begins
    with `p_` is a probability.
    """

    kind: str
    template: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def __str__(self) -> str:
        return self.template.format(**{name: written(name, value) for name, value in self.values.items()})

    def as_dict(self) -> dict[str, Any]:
        """Kind and values, with the sentence of a finding that has its own template, for results.json."""
        return {"kind": self.kind, **self.values, **({"sentence": str(self)} if self.template else {})}


def written(name: str, value: Any) -> str:
    """A value as sentences print it: `.867`, `[.001, .012]`, `A, B and C`; probabilities `< .001` to `> .999`."""
    if isinstance(value, float):
        return probability(value) if name.startswith("p_") else amount(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        if len(value) == 2 and all(isinstance(end, float) for end in value):
            return f"[{number(value[0])}, {number(value[1])}]"
        return listed(list(value), MOST)
    return str(value)


def amount(value: float) -> str:
    """Three decimals; what rounds to 0 says so: `under .001`."""
    return "under .001" if 0 < value < 0.0005 else number(value)


def probability(value: float) -> str:
    """Three decimals; what rounds to 0 or 1 says so: `> .999`."""
    if value > 0.9995:
        return "> .999"
    return "< .001" if value < 0.0005 else number(value)
