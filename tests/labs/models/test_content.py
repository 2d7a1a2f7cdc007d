"""A model is its content: names inside its folder and bytes, not the path or the time."""

import os
import shutil
import time
from pathlib import Path

import pytest

from clirbench.errors import InputError
from clirbench.labs.models.content import _known, content_fingerprint


def model(root: Path) -> Path:
    (root / "sub").mkdir(parents=True)
    (root / "model.bin").write_bytes(b"weights")
    (root / "sub" / "vocab.txt").write_bytes(b"a\nb\n")
    return root


def test_a_copy_elsewhere_is_the_same_and_every_change_is_seen(tmp_path: Path) -> None:
    first = model(tmp_path / "ckpt_1")
    found = content_fingerprint(first)
    copy = Path(shutil.copytree(first, tmp_path / "ckpt_2"))
    os.utime(copy / "model.bin", (1, 1))
    assert content_fingerprint(copy) == found
    (copy / ".log").write_text("hidden files are no part of it", encoding="utf-8")
    assert content_fingerprint(copy) == found
    seen = {found}
    (copy / "model.bin").write_bytes(b"WEIGHTS")
    seen.add(content_fingerprint(copy))
    (copy / "sub" / "vocab.txt").rename(copy / "sub" / "vocabulary.txt")
    seen.add(content_fingerprint(copy))
    (copy / "empty").touch()
    seen.add(content_fingerprint(copy))
    assert len(seen) == 4


def test_links_to_files_are_followed(tmp_path: Path) -> None:
    first = model(tmp_path / "ckpt_1")
    linked = tmp_path / "linked"
    (linked / "sub").mkdir(parents=True)
    (linked / "model.bin").symlink_to(first / "model.bin")
    (linked / "sub" / "vocab.txt").symlink_to(first / "sub" / "vocab.txt")
    assert content_fingerprint(linked) == content_fingerprint(first)


def test_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file or folder"):
        content_fingerprint(tmp_path / "none")
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "broken").symlink_to(tmp_path / "none")
    with pytest.raises(InputError, match=r"broken: cannot be read"):
        content_fingerprint(tmp_path / "m")


def test_a_file_of_equal_size_and_time_is_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time_ns
    monkeypatch.setattr("clirbench.files.state.time.time_ns", lambda: now() + 3600 * 10**9)
    weights = model(tmp_path / "ckpt") / "model.bin"
    before, status = content_fingerprint(tmp_path / "ckpt"), weights.stat()
    time.sleep(0.02)
    weights.write_bytes(b"WEIGHTS")
    os.utime(weights, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert content_fingerprint(tmp_path / "ckpt") != before


def test_a_file_that_was_just_touched_is_read_again(tmp_path: Path) -> None:
    model(tmp_path / "ckpt")
    content_fingerprint(tmp_path / "ckpt")
    known = _known.cache_info()
    content_fingerprint(tmp_path / "ckpt")
    assert _known.cache_info() == known
