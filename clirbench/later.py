"""Values that are loaded later: what a run has many of, it need not hold; and what was computed last, which is kept."""

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, wraps
from typing import Any, Generic, TypeVar, cast

Name = TypeVar("Name")
Value = TypeVar("Value")
Function = TypeVar("Function", bound=Callable[..., Any])


def load_value(value: Any) -> Any:
    """The value itself, read again at each call where something with `load` stands for it, as an entry of the store."""
    return value.load() if hasattr(value, "load") else value


def bytes_of_arrays(value: object) -> int:
    """Bytes of an array, or of the arrays that an object such as a sparse matrix consists of; 0 for other values."""
    return sum(getattr(part, "nbytes", 0) for part in (value, *getattr(value, "__dict__", {}).values()))


@dataclass(frozen=True, eq=False)
class Shelf(Mapping[Name, Value], Generic[Name, Value]):
    """Values by name, each loaded when it is looked up.

    A shelf that does not hold loads a value each time, so that a loop over all has one in memory; one that `holds`
    loads it once, for those who come back to it many times: one value for all names that share an entry. Values whose
    arrays would exceed `room` bytes in all are loaded each time. A shelf on a shelf takes what that one keeps.
    """

    kept: Mapping[Name, Any]
    holds: bool = False
    room: int | None = None
    loaded: dict[int, Value] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.kept, Shelf):
            object.__setattr__(self, "kept", self.kept.kept)

    def __getitem__(self, name: Name) -> Value:
        kept = self.kept[name]
        if id(kept) in self.loaded:  # which lives as long as what it was taken from
            return self.loaded[id(kept)]
        value: Value = load_value(kept)
        if self.holds and (self.room is None or self.held_bytes + bytes_of_arrays(value) <= self.room):
            self.loaded[id(kept)] = value
        return value

    def __reduce__(self) -> Any:
        # What it has loaded is known by the addresses of values in this process.
        return type(self), (self.kept, self.holds, self.room)

    @property
    def held_bytes(self) -> int:
        """Bytes of the arrays that this shelf has loaded and holds."""
        return sum(map(bytes_of_arrays, self.loaded.values()))

    def __iter__(self) -> Iterator[Name]:
        return iter(self.kept)

    def __len__(self) -> int:
        return len(self.kept)

    def __contains__(self, name: object) -> bool:
        # Mapping's own would load the value.
        return name in self.kept


def keep_recent(size: int) -> Callable[[Function], Function]:
    """Keep the last `size` results of a function of hashable arguments, for each thread.

    Work on one system comes in a row, such as several metrics that cut the same text: what other threads make does not
    push it out, and what is no thread's but its own (a stemmer) stays so.
    """

    def decorate(function: Function) -> Function:
        kept = threading.local()

        @wraps(function)
        def looked_up(*arguments: Any) -> Any:
            if not hasattr(kept, "results"):
                kept.results = lru_cache(maxsize=size)(function)
            return kept.results(*arguments)

        cast(Any, looked_up).cache_clear = lambda: vars(kept).clear()
        return cast(Function, looked_up)

    return decorate
