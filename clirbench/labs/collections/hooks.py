"""What the core asks this laboratory."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from clirbench.errors import ClirbenchError
from clirbench.files.run_files import PROVENANCE
from clirbench.files.score_tables import table_path
from clirbench.labs.collections import study as study_page
from clirbench.labs.collections.outcome import write
from clirbench.labs.collections.pooling import pool
from clirbench.labs.collections.reading import collection_of, different
from clirbench.labs.collections.study import EMPTY, read_plan, study


def after_sweep(
    folder: Path, jobs: Sequence[Path], settings: Mapping[str, Any], failed: Mapping[str, str] = EMPTY
) -> list[Path]:
    """Pool the jobs of a sweep over collections, and `settings["tables"]`; the files written, none for other sweeps.

    settings: the key `pool`: `groups`, `apart`, `tables` (score tables with a column `collection`), their `measures`
    and `metrics`. With `plan`, the file of a plan, its study is made instead, whose table of collections names those
    that `failed`.
    """
    done = [job for job in jobs if (job / PROVENANCE).is_file()]
    try:
        if settings.get("plan"):
            return study_page.write(folder, study(done, read_plan(Path(str(settings["plan"]))), failed))
        if not done or not different([collection_of(job) for job in done]):
            return []
        found = {folder: pool(done, settings.get("groups") or (), apart=settings.get("apart") or ())}
        for path in map(table_path, settings.get("tables") or ()):
            found[folder / path.stem] = pool([path], (), settings.get("measures") or (), settings.get("metrics") or ())
        return [path for place, pooling in found.items() for path in write(place, pooling)]
    except ClirbenchError as error:
        print(f"not pooled: {error}")
        return []
