"""Values that are loaded later: what a run has many of, it need not hold."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar, runtime_checkable

Name = TypeVar("Name")
Value = TypeVar("Value")
Loaded = TypeVar("Loaded", covariant=True)


@runtime_checkable
class Later(Protocol[Loaded]):
    """Something that stands for a value, such as an entry of the store."""

    def load(self) -> Loaded:
        """The value, read again at each call."""


def load_value(value: Later[Value] | Value) -> Value:
    """The value itself, loaded where it is to be loaded later."""
    return value.load() if hasattr(value, "load") else value


@dataclass(frozen=True, eq=False)
class Shelf(Mapping[Name, Value], Generic[Name, Value]):
    """Values by name, each loaded when it is looked up.

    A shelf that does not hold loads a value each time, so that a loop over all has one in memory; one that `holds`
    loads it once, for those who come back to it many times.
    """

    kept: Mapping[Name, Later[Value] | Value]
    holds: bool = False
    loaded: dict[Name, Value] = field(default_factory=dict, init=False, repr=False)

    def __getitem__(self, name: Name) -> Value:
        if name in self.loaded:
            return self.loaded[name]
        value = load_value(self.kept[name])
        if self.holds:
            self.loaded[name] = value
        return value

    def __iter__(self) -> Iterator[Name]:
        return iter(self.kept)

    def __len__(self) -> int:
        return len(self.kept)

    def __contains__(self, name: object) -> bool:
        # Mapping's own would load the value.
        return name in self.kept


def select_values(values: Mapping[Name, Value], names: Iterable[Name]) -> Mapping[Name, Value]:
    """The values of these names, in their order; those of a shelf stay unloaded."""
    kept = values.kept if isinstance(values, Shelf) else values
    return Shelf({name: kept[name] for name in names})
