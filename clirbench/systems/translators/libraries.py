"""Which version of a library, that a plain installation may not have, a translator uses."""

from importlib.metadata import PackageNotFoundError, version


def version_of(library: str) -> str:
    """The installed version, or `-`."""
    try:
        return version(library)
    except PackageNotFoundError:
        return "-"
