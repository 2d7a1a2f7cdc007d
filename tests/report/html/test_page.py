import base64
import hashlib
import json
import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from clirbench.report.html.page import embedded, rendered, rounded
from tests.report.boards import EVIL


@given(st.recursive(st.text() | st.floats() | st.none() | st.integers(), lambda inner: st.lists(inner, max_size=3)))
def test_embedded_json_cannot_close_its_element_and_reads_back(value: object) -> None:
    text = embedded(value)
    assert not re.search("[<>&\u2028\u2029]", text)
    assert json.dumps(json.loads(text)) == json.dumps(_without_nan(value))


def _without_nan(value: object) -> object:
    if isinstance(value, list):
        return [_without_nan(item) for item in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value


def test_arrays_and_tuples_become_lists() -> None:
    assert embedded({"a": np.array([1.0, np.nan]), "b": (1,)}) == '{"a":[1.0,null],"b":[1]}'


def test_the_policy_names_the_one_script_that_runs() -> None:
    values = {"title": EVIL, "systems": ["a", "b"], "text": [EVIL], "metrics": [], "terms": True}
    page = rendered("pair.html.j2", values, {"x": EVIL})
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert f"script-src &#39;sha256-{digest.replace('+', '+')}&#39;" in policy[1]
    assert "default-src &#39;none&#39;" in policy[1]
    assert EVIL not in page
    assert not re.search(r"https?://(?!www\.w3\.org/)", page)


def test_rounding_keeps_significant_digits_and_what_is_not_finite() -> None:
    assert rounded(0.000123456, 3) == 0.000123
    assert rounded(0.0) == 0.0
    assert np.isnan(rounded(float("nan")))
