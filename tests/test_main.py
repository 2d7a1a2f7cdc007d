"""The command line as a user meets it: what it prints, writes, refuses; every bad input of a folder run."""

import os
import platform
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hydra.core.hydra_config import HydraConfig
from omegaconf import open_dict

from clirbench import __version__
from clirbench.__main__ import job, main, prepare_arguments
from clirbench.configuration.composing import composed
from clirbench.errors import ConfigError, InputError, UnknownName
from tests.conftest import put, records as table

FAST = ["topics.n=8", "relevance.k=3", "metric=[BLEU,MacroF1]", "engine=serial"]


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def refused(done, *said: str) -> None:
    """An error of ours: exit code not 0, a message that says what is wrong, no traceback, nothing on standard out."""
    assert done.returncode != 0, done.stdout
    assert "Traceback" not in done.stderr
    for part in said:
        assert part in done.stderr


@pytest.mark.parametrize("asked", [None, "2"])
def test_linear_algebra_has_one_thread_unless_another_number_is_asked_for(asked: str | None) -> None:
    variables = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    variables |= {} if asked is None else {"OPENBLAS_NUM_THREADS": asked}
    code = "import os, clirbench.__main__; print(os.environ['OPENBLAS_NUM_THREADS'])"
    done = subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [asked or "1"]


class TestFolder:
    def test_a_baseline_ends_with_a_status_of_its_own_where_the_candidate_is_worse(self, cli, small_folder) -> None:
        run = ("folder=small", *FAST, "primary=MAP", "topics.n=10", "systems.include=[every2,every9]")
        done = cli(*run, "baseline=every9", "hydra.run.dir=out")
        assert done.returncode == 11, done.stderr
        assert "\nevery2 is worse than every9 by MAP: -." in done.stdout
        out = small_folder.parent / "out"
        (row,) = table(out / "baseline.tsv")
        assert (row["system"], row["verdict"], row["n_topics"]) == ("every2", "worse", "10")
        assert cli(*run, "baseline=every2", "hydra.run.dir=other").returncode == 0
        assert cli(*run, "baseline=every9", "margin=1", "hydra.run.dir=third").returncode == 0
        refused(cli(*run, "baseline=every8", "hydra.run.dir=no"), "unknown system of baseline 'every8'")

    @pytest.mark.parametrize("name", ["a folder", "x/a=b,{c}", "2021", 'q"x'])
    def test_a_folder_alone_is_an_argument(self, cli, small_folder: Path, name: str) -> None:
        folder = small_folder.parent / name
        folder.parent.mkdir(exist_ok=True)
        small_folder.rename(folder)
        done = cli(name, "--quiet", *FAST, "check=true")
        assert "systems: 4: every2" in done.stdout, done.stderr

    def test_a_missing_folder_is_one_line(self, cli, small_folder: Path) -> None:
        done = cli("./smal", "check=true")
        assert (done.returncode, done.stderr.count("\n")) == (1, 1)
        assert done.stderr.startswith("error: ./smal: no such folder")

    def test_check_lists_everything_and_runs_nothing(self, cli, small_folder: Path) -> None:
        done = cli.succeed("+experiment=folder", "folder=small", *FAST, "check=true", "hydra.run.dir=out")
        for part in ("4: every2, every3, every5, every9", "60 segments", "10 documents", "BLEU", "MAP", "bm25"):
            assert part in done.stdout
        assert not (small_folder.parent / "out").exists()
        kept = small_folder.parent / "earlier"
        (kept / "within").mkdir(parents=True)
        for folder in ([], ["hydra.run.dir=earlier"], ["hydra.run.dir=earlier/within/here"]):
            assert cli("+experiment=folder", "folder=small", *FAST, "check=true", *folder).returncode == 0
        assert not list(small_folder.parent.glob("runs/*/*"))
        assert (kept / "within").is_dir()

    def test_files_of_others_are_never_written_over(self, cli, small_folder: Path) -> None:
        (small_folder / "systems.tsv").write_text("system\tkind\nevery2\tx\nevery3\tx\nevery5\ty\nevery9\ty\n")
        done = cli("+experiment=folder", "folder=small", *FAST, "hydra.run.dir=small")
        refused(done, "systems.tsv", "nothing is overwritten", "hydra.run.dir=DIR")
        assert lines(small_folder / "systems.tsv")[1] == "every2\tx"

    def test_a_system_that_fails_is_a_hole_and_a_status(self, cli, small_folder: Path) -> None:
        (cli.cwd / "short.py").write_text(
            "from clirbench.errors import InputError\nfrom clirbench.metrics.macrof import MacroF\n\n\n"
            "class Short(MacroF):\n    def statistics(self, hypotheses, test):\n"
            "        if 'FAIL' in hypotheses:\n            raise InputError('a line is too long')\n"
            "        return super().statistics(hypotheses, test)\n"
        )
        broken = small_folder / "systems" / "every9.txt"
        broken.write_text("FAIL\n" + broken.read_text().partition("\n")[2])
        done = cli("folder=small", *FAST, "metric=[BLEU]", "+metric.Short={_target_: short.Short}", "hydra.run.dir=out")
        assert done.returncode == 2, done.stderr
        rows = {row["system"]: row for row in table(cli.cwd / "out" / "systems.tsv")}
        assert [system for system, row in rows.items() if not row["MacroF1"]] == ["every9"]
        assert rows["every9"]["BLEU"]
        assert "every9 has no MacroF1: a line is too long" in (cli.cwd / "out" / "report.md").read_text()


class TestObjective:
    """The number that a sweeper, such as Optuna's, gets of a job."""

    def value(self, folder: Path, monkeypatch: pytest.MonkeyPatch, *keys: str) -> object:
        monkeypatch.chdir(folder.parent)
        cfg = composed(prepare_arguments(["folder=small", "paths.cache=cache", *FAST, *keys, "topics.n=10"]))
        with open_dict(cfg):
            cfg.hydra.runtime.output_dir = str(folder.parent / "out")
        monkeypatch.setattr(HydraConfig.instance(), "cfg", cfg)
        with open_dict(task := cfg.copy()):
            del task["hydra"]
        return job(task)

    def test_a_measure_is_the_best_system_s(self, small_folder: Path, monkeypatch) -> None:
        value = self.value(small_folder, monkeypatch, "objective=MAP")
        assert value == max(float(row["MAP"]) for row in table(small_folder.parent / "out" / "systems.tsv"))

    def test_regret_is_what_choosing_by_the_first_metric_loses(self, small_folder: Path, monkeypatch) -> None:
        names = ["every2", "every3", "every5", "every9"]
        scores = "".join(f"{name}\t{9 - i}\n" for i, name in enumerate(names))
        (small_folder / "scores.tsv").write_text(f"system\tbackwards\n{scores}", encoding="utf-8")
        value = self.value(small_folder, monkeypatch, "objective=regret", "metric=[]", "primary=MAP")
        (row,) = table(small_folder.parent / "out" / "picks.tsv")
        assert (row["metric"], row["system"]) == ("backwards", "every2")
        assert value == float(row["loss"]) > 0

    def test_a_job_that_fails_fails_for_the_sweeper_too(self, small_folder: Path, monkeypatch) -> None:
        with pytest.raises(UnknownName, match="unknown objective 'MPA'. Did you mean 'MAP'"):
            self.value(small_folder, monkeypatch, "objective=MPA")

    @pytest.mark.slow
    def test_optuna_gets_the_number(self, cli, small_folder: Path) -> None:
        pytest.importorskip("hydra_plugins.hydra_optuna_sweeper", reason="OPTUNA ABSENT: no sweeper of it is tried")
        sweeper = ["hydra/sweeper=optuna", "hydra.sweeper.n_jobs=1", "hydra.sweeper.n_trials=3", "hydra.sweep.dir=s"]
        keys = ["hydra.sweeper.direction=maximize", "-m", "retrieval.k1=interval(0.5,1.5)", "objective=MAP"]
        cli.succeed("folder=small", *FAST, *sweeper, *keys, "topics.n=10")
        best = [max(float(row["MAP"]) for row in table(path)) for path in (cli.cwd / "s").glob("[012]/systems.tsv")]
        found = yaml.safe_load((cli.cwd / "s" / "optimization_results.yaml").read_text(encoding="utf-8"))
        assert (len(best), found["best_value"]) == (3, max(best))

    def test_hydra_s_own_help(self, cli) -> None:
        done = cli("--hydra-help")
        assert done.returncode == 0
        assert "--hydra-help" in done.stdout, done.stderr


class TestRunsOfOthers:
    def test_a_system_without_a_run_and_an_unknown_document_are_named(self, cli, small_folder: Path) -> None:
        runs = small_folder.parent / "runs_of_others"
        for n in (2, 3, 5):
            put(runs / f"every{n}.run", "t1 Q0 doc1 1 2.5 x\n")
        refused(cli("+experiment=folder", "folder=small", *FAST, "runs=runs_of_others"), "every9", "NAME.run")
        (runs / "every9.run").write_text("t1 Q0 nowhere 1 2.5 x\n")
        refused(cli("+experiment=folder", "folder=small", *FAST, "runs=runs_of_others"), "every9.run", "nowhere")


class TestFoundByFreshEyes:
    """Faults that a new user met."""

    def test_unknown_choices_are_said_together(self, cli) -> None:
        refused(cli("+experiment=foldr", "metric=[BLUE]", "retrieval=bm52"), "'foldr'", "'BLUE'", "'bm52'")

    def test_a_folder_of_the_run_that_cannot_be_made(self, cli, tmp_path: Path) -> None:
        (tmp_path / "afile").write_text("")
        refused(cli("hydra.run.dir=afile"), "afile", "choose hydra.run.dir=DIR")

    def test_a_link_that_leads_nowhere(self, cli, small_folder: Path) -> None:
        (small_folder / "systems" / "gone.txt").symlink_to("/nonexistent/ckpt.txt")
        refused(cli("+experiment=folder", "folder=small", *FAST), "gone.txt", "does not exist")


class TestEveryEndIsOurs:
    """Whatever goes in, what comes out is a result or one clear line, with the status of the contract."""

    def test_an_experiment_of_the_users_is_found_and_may_have_keys_of_its_own(self, cli, tmp_path: Path) -> None:
        text = '# @package _global_\ndefaults: [scores]\nname: mine\nmy_own: 5\ntitle: "${my_own}"\n'
        put(tmp_path / "own" / "experiment" / "mine.yaml", text)
        (tmp_path / "s.tsv").write_text("system\tBLEU\tMAP\na\t1\t.1\nb\t2\t.3\nc\t3\t.2\n")
        options = ["scores.tables=[s.tsv]", "scores.measures=[MAP]", "my_own=7", "check=true"]
        cli.succeed("--config-dir", "own", "+experiment=mine", *options)
        refused(cli("--config-dir=own", "+experiment=mien", *options), "'mien'", "Did you mean 'mine'?")

    def test_a_file_name_that_is_not_utf8(self, cli, small_folder: Path) -> None:
        (small_folder / "systems" / os.fsdecode(b"bad\xff.txt")).write_text("x\n" * 60)
        refused(cli("+experiment=folder", "folder=small", *FAST), "'bad\\udcff' holds a control character, is not")

    def test_a_fault_is_one_line_and_a_file(self, cli, tmp_path: Path) -> None:
        (tmp_path / "broken.py").write_text(
            "class Broken:\n    name = 'broken'\n    def tables(self, result):\n        return [1 / 0]\n"
        )
        (tmp_path / "s.tsv").write_text("system\tBLEU\tMAP\na\t1\t.1\nb\t2\t.3\nc\t3\t.2\n")
        scores = ["scores.tables=[s.tsv]", "scores.measures=[MAP]", "hydra.run.dir=out"]
        done = cli(*scores, "+analyses.broken={_target_: broken.Broken}", "analysis=broken")
        assert done.returncode == 70, done.stderr
        assert done.stderr.startswith("error: this is a fault of clirbench (ZeroDivisionError: division by zero)")
        assert done.stderr.count("\n") == 1
        assert "in tables\n" in (tmp_path / "out" / "fault.txt").read_text()

    def test_a_damaged_result_in_the_store_is_told_on_the_command_line(self, cli, small_folder: Path) -> None:
        """Warnings were lost there: the configuration of logging silenced every logger that existed before it."""
        run = (f"folder={small_folder}", "metric=[BLEU]", "measures=[MAP]", "topics.n=5", "engine=serial")
        assert cli(*run).returncode == 0
        place = sorted((cli.cwd / "runs").rglob("*.part"))[0]
        place.write_bytes(place.read_bytes().replace(b"at", b"it", 1))
        done = cli(*run, "fresh=true")
        assert done.returncode == 0
        assert f"{place.name} is damaged (" in done.stderr
        assert done.stderr.count("is damaged") == 1

    def test_a_sweep_whose_table_cannot_be_written_fails(self, cli, tmp_path: Path) -> None:
        """Hydra only warned, and the status was 0."""
        (tmp_path / "s.tsv").write_text("system\tBLEU\tMAP\na\t1\t.1\nb\t2\t.3\nc\t3\t.2\n")
        (tmp_path / "out" / "sweep.tsv").mkdir(parents=True)
        done = cli("-m", "scores.tables=[s.tsv]", "scores.measures=[MAP]", "seed=1,2", "hydra.sweep.dir=out")
        assert (done.returncode, "sweep.tsv" in done.stderr, "Warning" in done.stderr) == (70, True, False), done.stderr

    def test_a_job_of_a_sweep_that_is_refused_does_not_stop_the_others(self, cli, tmp_path: Path) -> None:
        (tmp_path / "s.tsv").write_text("system\tBLEU\tMAP\na\t1\t.1\nb\t2\t.3\nc\t3\t.2\n")
        done = cli("-m", "scores.tables=[s.tsv]", "scores.measures=[MAP]", "seed=x,1", "hydra.sweep.dir=out")
        assert done.returncode == 1, done.stderr
        assert "seed=x\n" in done.stdout
        assert "| seed=x |  |  | seed='x' must be" in (tmp_path / "out" / "sweep.md").read_text(encoding="utf-8")
        why = "seed='x' must be a whole number of at least 0: seed of everything random"
        assert done.stderr.endswith(f"error: {why}\nseed=x has no results: {why}\n")  # where it failed, and at the end
        assert "Traceback" not in done.stderr
        assert (tmp_path / "out" / "1" / "systems.tsv").is_file()

    def test_the_version_is_ours(self, monkeypatch, capsys) -> None:
        monkeypatch.setattr(sys, "argv", ["clirbench", "--version"])
        monkeypatch.setattr(signal, "signal", lambda *_: None)
        main()
        assert capsys.readouterr().out == f"clirbench {__version__}, Python {platform.python_version()}\n"

    @pytest.mark.parametrize(
        ("override", "said"),
        [
            ("metric=[1,2]", "1 is no name; metric is one of"),
            ("topics=true", "True is no name; topics is one of"),
            ("~correlation.coefficients=null", "a key of a run cannot be taken away"),
            ("+experiment=score", "Did you mean 'scores'?"),
            ("topics=keyterms,titels", "unknown topics 'titels'. Did you mean 'titles'?"),
            ("corpus=null", "corpus=null: null is no name; corpus is one of demo, "),
            ("topics=null", "none is ~topics"),
            ("~metric", "an empty list is metric=[]"),
            ("engine=[]", "engine: a run needs one: serial"),
            ("documents=null", "documents=null: is no single value; its keys are documents.size"),
            ("also_topics=titles", "there is no key 'also_topics'"),
            ("experiment=folder", "+experiment=demo +experiment=folder: a run is of one experiment"),
            ("analysis={a:1}", "analysis={a:1} must be a list of names, [A,B]: the analyses to make"),
            ("measures=[MAP", "A bracket is not closed; type 'measures=[MAP]'"),
            ("measures=[]]", "measures=[]]: cannot be read. A value with ="),
            ("units=größe", "units=größe: there is no such column of systems.tsv"),
            ('topics="titles', "cannot be read. A value with ="),
            ("topics=" + "x" * 5000, "Choices: gov2, jsonl, keyterms"),
            ("é=1", "there is no key 'é'"),
            ("=3", "'=3' is not of the form key=value"),
            ("~", "'~' is not of the form key=value"),
            ("correlation.coefficients=[]", "a run needs one at least, such as kendall"),
            ("retrieval.k1=x", "retrieval.k1='x' must be a number of at least 0"),
            ("hydra.mode=NOPE", "hydra.mode=NOPE: a value of another kind belongs there"),
            ("title='${nowhere}'", "the configuration: Interpolation key 'nowhere' not found"),
            ("analyzer=language", "analyzer.code='' is no language: a code of ISO 639"),
            ("hydra.run.dir=null", "a value of another kind belongs there"),
            ("--nope", "arguments: --nope; settings are key=value, such as folder=DIR; clirbench --help lists"),
            ("--metrics=BLEU,chrF", "; type clirbench +experiment=demo check=true 'metric=[BLEU,chrF2]'"),
            ("retrieval.k1=0,9", "a number has a point; type retrieval.k1=0.9"),
            ("measures=[ndgc_cut_1O]", "Did you mean 'nDCG@10'?"),
            ("measures=[MAP,RBO(p=0.9)]", "quotes: 'measures=[MAP,\"RBO(p=0.9)\"]'"),
            ("--cfg=nope", "invalid choice: 'nope'"),
            ("--config-dir=nowhere", "nowhere: not found; hydra.searchpath=[file://DIR] names"),
        ],
        ids=lambda text: text[:30],
    )
    def test_slips_of_the_command_line(self, override: str, said: str, tmp_path: Path, monkeypatch, capsys) -> None:
        # In this process: what imports in seconds is imported once.
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["clirbench", "+experiment=demo", "check=true", override])
        monkeypatch.setattr(signal, "signal", lambda *_: None)
        monkeypatch.setenv("HYDRA_FULL_ERROR", "1")
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 1
        shown = capsys.readouterr().err
        assert said in shown
        assert shown.startswith("error: - " if override == "é=1" else "error: ")
        assert shown.count("\n") == (2 if override == "é=1" else 1)

    def test_a_folder_that_is_named_inside_itself(self, small_texts: Path, monkeypatch) -> None:
        monkeypatch.chdir(small_texts)
        with pytest.raises(ConfigError, match=f"This is {small_texts.name}: type clirbench \\."):
            prepare_arguments([small_texts.name])

    @pytest.mark.parametrize("words", ["topics=keyterms,titles -m seed=3", "-m topics=keyterms,titles seed=3"])
    def test_options_may_stand_between_overrides(self, words: str) -> None:
        assert prepare_arguments(words.split()) == ["-m", "topics=keyterms,titles", "seed=3", "+experiment=demo"]


def test_a_link_in_the_folder_of_a_sweep_does_not_lead_hydra_s_files_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "sent").mkdir()
    (tmp_path / "sent" / "multirun.yaml").symlink_to(tmp_path / "mine")
    with pytest.raises(InputError, match=r"multirun.yaml: is a link"):
        prepare_arguments([f'+hydra.sweep.dir="{tmp_path / "sent"}"'])
