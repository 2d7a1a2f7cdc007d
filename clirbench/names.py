"""Lists of names in the configuration: `[a, b]`, or a single `a`."""

from collections.abc import Sequence

from clirbench.errors import ConfigError


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
