"""Every folder of WMT: three spellings of a run give one set of tables, and its first lines say what it is made of."""

import json
import re
from pathlib import Path

import pytest

from clirbench.files.tables import read_table
from tests.conftest import SHARED, Cli

FOLDERS = [
    f"{year}/{path.name}"
    for year in ("wmt21", "wmt22", "wmt23", "wmt24")
    for path in sorted((SHARED / year).glob("*"))
    if path.is_dir()
]
QUICK = ("wmt21/xh-zu", "wmt22/en-liv", "wmt24/cs-uk")
TABLES = ("systems.tsv", "correlations.tsv", "per_topic.tsv", "results.json")


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    "part", [name if name in QUICK else pytest.param(name, marks=pytest.mark.release) for name in FOLDERS or QUICK]
)
def test_a_folder_of_wmt_says_what_it_is_and_has_one_set_of_tables(
    shared_data: Path, tmp_path: Path, cli: Cli, part: str
) -> None:
    folder, pair = shared_data / part, part.partition("/")[2]
    screens = []
    for run, how in (
        ("one", (str(folder),)),
        ("other", ("+experiment=wmt_folder", f"folder={folder}")),
        ("third", ("+experiment=folder", f"folder={folder}")),
    ):
        keys = (f"hydra.run.dir={run}", "paths.cache=cache", "engine.workers=1")
        done = cli.succeed(*how, *keys, timeout=900)
        screens.append(done.stdout.replace(f"/{run}\n", "\n"))
    for name in TABLES:
        assert len({(tmp_path / run / name).read_bytes() for run in ("one", "other", "third")}) == 1, name
    assert screens[0] == screens[1] == screens[2]
    assert f"<title>{part}: " in (tmp_path / "one" / "report.html").read_text(encoding="utf-8")
    first, second, third, blank, *_ = screens[0].split("\n")
    analyser = "english" if pair.endswith("-en") else f"language {pair[3:]}"
    assert re.match(rf"Languages: {pair} \(by the folder's name.*\); analyser: {analyser}; [\d,]+ documents? \(", first)
    assert second.startswith("Systems: ")
    used = json.loads((tmp_path / "one" / "results.json").read_text(encoding="utf-8"))["set_up"]
    then = "not used" if part == "wmt23/he-en" else "read"  # its table has COMET twice for each of its 12 systems
    assert third.startswith(f"Scores computed: BLEU, chrF1, chrF2, MacroF1, MicroF1; {then}: ")
    assert blank == ""
    files = {path.name.removesuffix(".gz").removesuffix(".txt") for path in (folder / "systems").iterdir()}
    assert {*used["systems"], *used["systems_left_out"]} == files
    published = {*read_table(folder / "official-metrics.tsv").column("metric")}
    read = {name.removesuffix(f"-{part[3:5]}") for name in used["scores"]}
    ours = f"-{next((file.name[10] for file in sorted(folder.glob('reference-*'))), 'A')}"  # scores of what is searched
    assert {name for name in published if name.removesuffix(ours) not in read} <= {*used["scores_left_out"]}
    for name in {*used["scores"], *used["systems_left_out"]}:
        assert name in second + third or " more" in second + third, name
    for name in {"AutoRank", "MetricX"} & {*used["scores"]}:  # 1 and 0 are the best
        assert re.search(rf"^note: less is better in .*\b{name}\b.*, by the name$", screens[0], re.MULTILINE)
    if near := re.search(r"the nearest, (.*), is \.\d+ \[", screens[0]):
        ranked = read_table(tmp_path / "one" / "decision.tsv")
        apart = {float(d): name for name, d in zip(*map(ranked.column, ("system", "difference")), strict=True)}
        assert near[1] == apart[sorted(apart)[-2]], "the smallest difference but that of the recommended system, 0"


@pytest.mark.parametrize(
    "part", [name if name in QUICK else pytest.param(name, marks=pytest.mark.release) for name in FOLDERS or QUICK]
)
def test_a_folder_of_wmt_by_another_name_is_in_the_same_languages_or_stops(
    shared_data: Path, tmp_path: Path, cli: Cli, part: str
) -> None:
    """Livonian, which is in no list of languages that can be told, excepted."""
    pair = part.partition("/")[2]
    (tmp_path / "x").mkdir()
    for path in (shared_data / part).iterdir():
        (tmp_path / "x" / path.name).symlink_to(path)
    done = cli("folder=x", "check=true", timeout=900)
    if "liv" not in pair and not done.returncode:
        assert done.stdout.startswith(f"Languages: {pair} (by the texts); analyser: ")


def test_a_grade_that_other_topics_would_lower_by_noise_alone_stays_and_is_named(
    shared_data: Path, tmp_path: Path, cli: Cli
) -> None:
    """Six systems of cs-uk, each line a document: by rare terms low ends of tau are .25 or more, by key terms less, and
    tau by as many topics is higher by rare terms; it differs no more than topics let it."""
    source, folder = shared_data / "wmt24" / "cs-uk", tmp_path / "cs-uk"
    names = ("Claude-3.5", "CommandR-plus", "CycleL", "GPT-4", "Gemini-1.5-Pro", "IKUN")
    for name in ("reference-A.txt.gz", *(f"systems/{system}.txt.gz" for system in names)):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to(source / name)
    assert cli("cs-uk", "hydra.run.dir=run", "engine.workers=1", timeout=900).returncode == 0
    rows = read_table(tmp_path / "run" / "correlations.tsv").records()
    rare = {r["metric"]: r for r in rows if (r["measure"], r["coefficient"]) == ("RBO(p=0.9)", "kendall")}
    key = {row["metric"]: row for row in read_table(tmp_path / "run" / "topic_kinds.tsv").records()}
    moved = [name for name, row in key.items() if float(rare[name]["ci_low"]) >= 0.25 > float(row["low"])]
    assert moved
    assert all(float(key[name]["tau"]) < float(key[name]["first_tau"]) for name in moved)
    assert {(rare[name]["grade"], key[name]["differs"].lower()) for name in moved} == {("moderate", "false")}
    answer = json.loads((tmp_path / "run" / "results.json").read_text(encoding="utf-8"))["answer"]
    said = re.search(
        r"not people's queries; by key terms instead, grades drop to weak for (.+?), a drop that may be noise\.", answer
    )
    assert said is not None
    assert re.split(", | and ", said[1]) == moved
