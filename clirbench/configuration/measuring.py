"""Measures by their names, those of laboratories too."""

from functools import cache

from clirbench.configuration.laboratories import hooks
from clirbench.measures import parsing
from clirbench.measures.base import Measure


def parse(name: str) -> Measure:
    """The measure that a name means; its column is called as the user wrote it.

    Raises `UnknownName` (choices, closest match) for a name nobody knows, `ConfigError` for a wrong parameter.
    """
    return parsing.parse(name, measures_of_laboratories)


@cache
def measures_of_laboratories() -> parsing.Kinds:
    """The measures that laboratories add; which are loaded for a name that only they may know."""
    return {name: kind for measures in hooks("measures") for name, kind in measures().items()}
