"""Checks of what a user configured: values, lists of names, libraries that must be installed.

Each takes the key first, as the user writes it (`relevance.k`, `measure RBO: p`), then the value.
"""

import math
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from operator import ge, gt, le, lt
from typing import Any

from clirbench.errors import ConfigError, ResourceError, closest_match

PACKAGE = "apt://"
"""What the address of a package of Debian begins with; apt finds it."""


def one_of(key: str, value: object, choices: Iterable[str]) -> None:
    """Raise `ConfigError`, listing the choices and the closest one, unless `value` is one of them."""
    listed = tuple(choices)
    if value not in listed:
        raise ConfigError(f"{key}={value!r} is not one of {', '.join(listed)}.{closest_match(str(value), listed)}")


def pointed(value: object, whole: bool = False) -> str:
    """The number that a text with a comma or % is meant as; nothing for what is none.

    >>> pointed("1,2"), pointed("1,000", whole=True), pointed("5%")
    ('1.2', '1000', '0.05')
    """
    found = re.fullmatch(r"([+-]?\d+)(?:[.,](\d+))?(%?)", value) if isinstance(value, str) else None
    if found is None:
        return ""
    text = found[1] + ((found[2] if len(found[2]) == 3 else "") if whole else f".{found[2]}") if found[2] else found[1]
    return f"{float(text) / 100:g}" if found[3] else text


def not_a(kind: str, key: str, value: object, more: str = "") -> ConfigError:
    """The error for a value that must be of a kind, in words; with the number to type, where it is meant as one."""
    meant = pointed(value, "whole" in kind) if "number" in kind else ""
    return ConfigError(f"{key}={value!r} must be {kind}{more}{meant and f'; type {key}={meant}'}")


def whole_number(key: str, value: object, least: int = 1, or_null: bool = False) -> None:
    """Raise `ConfigError` unless `value` is a whole number of at least `least` (or None, with `or_null`)."""
    if or_null and value is None:
        return
    if type(value) is not int or value < least:
        null = ", or null" if or_null else ""
        raise not_a(f"a whole number of at least {least}{null}", key, value)


def number(
    key: str,
    value: object,
    *,
    least: float | None = None,
    above: float | None = None,
    most: float | None = None,
    below: float | None = None,
) -> None:
    """Raise `ConfigError` unless `value` is a finite number within the limits that are given; true is no number."""
    limits: Iterable[tuple[str, float | None, Callable[[Any, Any], bool]]]
    limits = (("of at least", least, ge), ("above", above, gt), ("at most", most, le), ("below", below, lt))
    stated = [(words, limit, holds) for words, limit, holds in limits if limit is not None]
    finite = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not finite or not all(holds(value, limit) for _, limit, holds in stated):
        said = " and".join(f" {words} {limit:g}" for words, limit, _ in stated)
        raise not_a(f"a number{said}", key, value)


def name_list(key: str, names: object) -> tuple[str, ...]:
    """The names as strings (a number is a name too); one name is a list of one, None is an empty list.

    Raises `ConfigError`, naming `key`, for anything else.
    """
    if names is None:
        return ()
    if isinstance(names, str):
        return (names,)
    if not isinstance(names, Sequence) or any(isinstance(name, list | tuple | dict) or name is None for name in names):
        raise ConfigError(f"{key}={names}: a list of names was expected, {key}=[A,B]")
    return tuple(str(name) for name in names)


def require(key: str, extra: str, *libraries: str) -> None:
    """Raise `ResourceError`, naming the extra to install, where a library that `key` needs is not there.

    Imports none of them.
    """
    missing = [library for library in libraries if find_spec(library) is None]
    if missing:
        noun = "library" if len(missing) == 1 else "libraries"
        said = f"{key} needs the {noun} {', '.join(missing)}: not installed; in clirbench's checkout type"
        raise ResourceError(f"{said} {sys.executable} -m pip install '.[{extra}]'")


def checked(key: str, value: Any, protocol: type) -> Any:
    """The value; raises `ConfigError` where it is not what its key holds."""
    if not isinstance(value, protocol) or isinstance(value, type):
        has = [*vars(protocol), *protocol.__annotations__]
        hint = ", ".join(name for name in has if name[0] != "_" and not hasattr(value, name))
        hint = f"did you mean {value.__name__}()?" if isinstance(value, type) else f"it has no {hint}"
        raise ConfigError(f"{key}: {value!r} is not a {protocol.__name__}; {hint}")
    return value
