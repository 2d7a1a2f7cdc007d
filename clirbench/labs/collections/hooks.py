"""What the core asks this laboratory."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from clirbench.errors import ClirbenchError
from clirbench.files.run_files import PROVENANCE
from clirbench.files.score_tables import table_path
from clirbench.labs.collections import atlas_page, bias, view
from clirbench.labs.collections.atlas import EMPTY, StudyPlan, study
from clirbench.labs.collections.pooling import different, pool
from clirbench.report import markdown

TITLE = "Which MT metrics predict retrieval?"
METHOD = Path(__file__).with_name("method.md")


def after_sweep(
    folder: Path, jobs: Sequence[Path], settings: Mapping[str, Any], failed: Mapping[str, str] = EMPTY
) -> list[Path]:
    """Pool the jobs of a sweep over collections, and `settings["tables"]`; the files written, none for other sweeps.

    settings: the key `pool`: `groups`, `apart`, `tables` (score tables with a column `collection`), their `measures`
    and `metrics`. findings.md is their summary, one page; pooled.md has all sentences and tables. With `plan`, the file
    of a plan, its study is made instead, whose page names the conditions that `failed` and has the table `known_items`.
    Runs of the same topics and documents, in several languages, make that table.
    """
    done = [job for job in jobs if (job / PROVENANCE).is_file()]
    try:
        if settings.get("plan"):
            known = bias.read(settings.get("known_items"))
            made = study(done, StudyPlan.read(Path(str(settings["plan"]))), failed)
            return atlas_page.write(folder, replace(made, bias=known))
        if not done or not different(done):  # conditions of one collection, or its judgments compared
            rows = bias.bias_rows(done)
            return [bias.write(folder, rows)] if rows else []
        found = {TITLE: pool(done, settings.get("groups") or (), apart=settings.get("apart") or ())}
        written = view.write(folder, found[TITLE])
        for table in settings.get("tables") or ():
            path = table_path(table)
            more = pool([path], (), settings.get("measures") or (), settings.get("metrics") or ())
            written += view.write(folder / path.stem, more, path.stem)
            found[f"Published table: {path.stem}"] = more
    except ClirbenchError as error:
        print(f"not pooled: {error}")
        return []
    summaries = [markdown.page(view.summary(pooling, title)) for title, pooling in found.items()]
    page = "\n".join([*summaries, METHOD.read_text(encoding="utf-8")])
    (folder / "findings.md").write_text(page, encoding="utf-8", newline="\n")
    return [*written, folder / "findings.md"]
