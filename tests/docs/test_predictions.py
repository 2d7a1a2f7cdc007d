"""Predictions stay what they were when they were made."""

from hashlib import sha256
from pathlib import Path

from clirbench.files.tables import read_table

DATA = Path(__file__).resolve().parents[2] / "docs" / "data"


def test_predictions_name_the_plan() -> None:
    plan = sha256((DATA / "atlas-plan.yaml").read_bytes()).hexdigest()
    path = DATA / "predictions.tsv"
    assert path.read_text(encoding="utf-8").partition("\n")[0] == f"# plan {plan}"
    for row in read_table(path).records():
        assert float(row["low"]) < float(row["expected"]) < float(row["high"])
