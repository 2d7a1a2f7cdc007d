"""What was computed last, kept by each thread for itself.

Work on one system comes in a row: several metrics cut the same text. Whoever works on it, the main thread or one of
several, finds what it has just made; what others make does not push it out, and it goes with the thread.
"""

import threading
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])


def keep_recent(size: int) -> Callable[[Function], Function]:
    """Keep the last `size` results of a function of hashable arguments, for each thread."""

    def decorate(function: Function) -> Function:
        class Kept(threading.local):
            def __init__(self) -> None:
                self.look_up = lru_cache(maxsize=size)(function)

        kept = Kept()

        @wraps(function)
        def looked_up(*arguments: Any) -> Any:
            return kept.look_up(*arguments)

        def cache_clear() -> None:
            kept.look_up.cache_clear()

        cast(Any, looked_up).cache_clear = cache_clear
        return cast(Function, looked_up)

    return decorate
