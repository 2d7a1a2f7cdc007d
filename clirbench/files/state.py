"""What the system says of a file, to know its content again without reading it.

The last number, ctime, is set by the system alone. A file that was touched within two seconds of its reading is not
trusted by its times: clocks of file systems are coarse.
"""

import time
from pathlib import Path

State = tuple[int, int, int, int, int]
"""Device, inode, size, time of the content, time of the entry."""
SETTLED = 2 * 10**9
"""Nanoseconds after which the times of a file tell its last change from the one before."""


def state_of(path: Path) -> State | None:
    """The operating system's record of a file; None where it has none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def is_settled(state: State | None) -> bool:
    """Whether a file in this state, read now, can be known again by it."""
    return state is not None and time.time_ns() - max(state[3:]) > SETTLED
