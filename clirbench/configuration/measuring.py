"""Measures by their names, those of laboratories too."""

from functools import cache
from typing import Any

from clirbench.configuration.laboratories import hooks
from clirbench.errors import ConfigError
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


def measure_of(measure: Any) -> Any:
    """A measure by its name, or as an object of ir_measures (`nDCG @ 10`), as ours; any other object as it is."""
    theirs = type(measure).__module__.partition(".")[0] == "ir_measures"
    return parse(str(measure)) if theirs or isinstance(measure, str) else measure


def is_measure(name: str) -> bool:
    """Whether a name is that of a measure."""
    try:
        return bool(parse(name))
    except ConfigError:
        return False
