"""Checks of the parameters that several measures have; each raises `ConfigError` naming measure, key and value."""

import math

from clirbench.errors import ConfigError, UnknownName


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
