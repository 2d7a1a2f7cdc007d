"""Checks of the parameters that several relevance rules have; each raises `ConfigError` naming key and value."""

from clirbench.errors import ConfigError


def whole_number(key: str, value: object, least: int = 1) -> None:
    """A whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ConfigError(f"relevance.{key}={value!r}: must be a whole number of at least {least}")


def share(key: str, value: object, most: float) -> None:
    """A number in (0, most]."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= most:
        raise ConfigError(f"relevance.{key}={value!r}: must be a number above 0 and at most {most:g}")
