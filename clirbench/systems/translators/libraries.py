"""Libraries that translators need and a plain installation does not have: is it there, and which version."""

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from clirbench.errors import ResourceError


def require(extra: str, *libraries: str) -> None:
    """Raise `ResourceError`, naming the extra to install, where a library is not there; imports none of them."""
    missing = [library for library in libraries if find_spec(library) is None]
    if missing:
        raise ResourceError(f"{', '.join(missing)}: not installed; pip install 'clirbench[{extra}]'")


def version_of(library: str) -> str:
    """The installed version, or `-`."""
    try:
        return version(library)
    except PackageNotFoundError:
        return "-"
