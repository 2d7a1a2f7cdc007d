"""What the core asks this laboratory."""

from pathlib import Path

from clirbench.labs.training.grid import GRID
from clirbench.labs.training.progress import shown_progress


def status_lines(folder: Path) -> tuple[list[str], bool] | None:
    """The lines of `clirbench status` for a training grid, and whether all is done; None for another folder."""
    if not (folder / GRID).is_file():
        return None
    lines = list(shown_progress(folder))
    return lines, " 0 begun, 0 missing, 0 failed" in lines[-1]
