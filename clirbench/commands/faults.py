"""How a run ends: the exit statuses, and every error in words; what is a fault of ours leaves its details in a file."""

import errno
import os
import tempfile
import traceback
from pathlib import Path

from clirbench.configuration.advice import refusal
from clirbench.errors import (
    ClirbenchError,
    NothingCompared,
    Problems,
    ResourceError,
    escape_unseen,
    file_of,
    interrupted,
    shorten,
)
from clirbench.pages.wording import fixed

MENDABLE, SOME_FAILED, NOTHING, STOPPED, WORSE, FAULT, INTERRUPTED = 1, 2, 3, 10, 11, 70, 130
DOES_NOT_FOLLOW, CANNOT_CHECK = 4, 5
"""What the user can mend; some systems failed, the rest is there; nothing was compared; training may stop; all
candidates are worse than the baseline; our fault; interrupted. Of `verify`: tables do not follow; it cannot tell."""
FILE = "fault.txt"
LEAST_MEMORY = 800 * 10**6
"""Bytes of address space below which a library waits for memory without end, or says something else is wrong."""
OF_THE_MACHINE = (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS, errno.EIO, errno.EMFILE)
"""What a disk or a system refuses is no fault of ours, wherever it happens."""


def in_words(error: BaseException, folder: Path | None = None) -> tuple[str, int]:
    """The lines to show for an error, and the exit status; raises `KeyboardInterrupt` where the run was interrupted.

    folder: where the details of a fault go, if it can be written; else they go to the folder of temporary files.
    """
    if interrupted(error):
        raise KeyboardInterrupt from error
    if isinstance(error, ClirbenchError):
        all_of_it = error.errors if isinstance(error, Problems) else (error,)
        return f"error: {error}", NOTHING if all(isinstance(e, NothingCompared) for e in all_of_it) else MENDABLE
    if isinstance(error, OSError) and error.errno in OF_THE_MACHINE:
        return f"error: {ClirbenchError(f'{file_of(error)}: {error.strerror}')}", MENDABLE
    if isinstance(error, ModuleNotFoundError) and error.name == "fcntl":
        return "error: this system has no fcntl, which locks files for fetch, train and watch; use Linux", MENDABLE
    if isinstance(error, MemoryError) or "failed to map segment" in str(error):
        return (
            "error: the memory is not enough. Try fewer workers, engine.workers=1, or fewer systems; a rerun does only "
            "what is missing",
            MENDABLE,
        )
    if {type(error).__module__.partition(".")[0], _raised_in(error)} & {"hydra", "omegaconf"}:
        return f"error: {refusal(error)}", MENDABLE
    reason = shorten(escape_unseen(" ".join(f"{type(error).__name__}: {error}".split())), 200)
    return f"error: this is a fault of clirbench ({reason}); the details are in {_details(error, folder)}", FAULT


def check_memory() -> None:
    """Raise `ResourceError` where a limit leaves less memory than any run needs (`ulimit -v`); if there are limits."""
    try:
        import resource
    except ImportError:
        return
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    if most != resource.RLIM_INFINITY and most < LEAST_MEMORY:
        raise ResourceError(
            f"the memory is limited to {fixed(most / 1e6)} MB (ulimit -v), and a run needs "
            f"{fixed(LEAST_MEMORY / 1e6)} MB"
        )


def _raised_in(error: BaseException) -> str:
    """The package whose code raised the error."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return str(frames[-1].f_globals.get("__name__", "")).partition(".")[0] if frames else ""


def _details(error: BaseException, folder: Path | None) -> str:
    text = escape_unseen("".join(traceback.format_exception(error)))
    if folder is not None:
        try:
            (folder / FILE).write_text(text, encoding="utf-8")
        except OSError:
            pass
        else:
            return escape_unseen(str(folder / FILE))
    try:
        descriptor, name = tempfile.mkstemp(prefix="clirbench-fault-", suffix=".txt")
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text)
    except OSError:
        return "no file: none can be written here"
    return escape_unseen(name)
