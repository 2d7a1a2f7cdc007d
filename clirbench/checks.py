"""Checks of configured values, each with the same words for the same mistake; each raises `ConfigError`."""

import math
from collections.abc import Iterable, Sequence

from clirbench.errors import ConfigError, UnknownName


def check_choice(component: str, key: str, value: str, choices: Iterable[str]) -> None:
    """Raise `ConfigError` naming component, key, value and choices unless `value` is one of them."""
    listed = tuple(choices)
    if value not in listed:
        raise ConfigError(f"{component}: {key}={value!r} is not one of {', '.join(listed)}")


def check_least(component: str, key: str, value: object, least: float) -> None:
    """Raise `ConfigError` unless `value` is a number that is not below `least`."""
    if not (isinstance(value, (int, float)) and math.isfinite(value) and value >= least):
        raise ConfigError(f"{component}: {key}={value!r} must be a number of at least {least:g}")


def number(measure: str, key: str, value: object) -> float:
    """A finite number, no truth value."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ConfigError(f"measure {measure}: {key}={value!r} must be a number")
    return float(value)


def persistence(measure: str, value: object) -> None:
    """p in (0, 1), both excluded."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1:
        raise ConfigError(f"measure {measure}: p={value!r} must be a number between 0 and 1, both excluded")


def count(measure: str, key: str, value: object) -> None:
    """A whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ConfigError(f"measure {measure}: {key}={value!r} must be a whole number of at least 1")


def choice(measure: str, key: str, value: object, choices: tuple[str, ...]) -> None:
    """One of the words."""
    if value not in choices:
        raise UnknownName(f"{key} of measure {measure}:", str(value), choices)


def name_list(key: str, names: object) -> tuple[str, ...]:
    """The names as strings (a number is a name too); one name stands for a list of one, None for an empty list.

    Raises `ConfigError`, naming `key`, for anything else.
    """
    if names is None:
        return ()
    if isinstance(names, str):
        return (names,)
    if not isinstance(names, Sequence) or any(isinstance(name, list | tuple | dict) or name is None for name in names):
        raise ConfigError(f"{key}={names}: a list of names was expected, {key}=[A,B]")
    return tuple(str(name) for name in names)


def whole_number(key: str, value: object, least: int = 1) -> None:
    """A whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ConfigError(f"relevance.{key}={value!r}: must be a whole number of at least {least}")


def share(key: str, value: object, most: float) -> None:
    """A number in (0, most]."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= most:
        raise ConfigError(f"relevance.{key}={value!r}: must be a number above 0 and at most {most:g}")
