"""Data sets by manifest: found, verified, missed politely, fetched (from a server on this machine)."""

import gzip
import hashlib
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, strategies as st

from clirbench.commands.fetch import main
from clirbench.datasets.manifests import ManifestFiles, load_manifest, manifest_names, missing_data, unpack_facts
from clirbench.errors import ClirbenchError, ConfigError, InputError, MissingData, UnknownName
from clirbench.text import TextFile
from tests.conftest import Cli, put
from tests.loopback import Served, serving

PACKAGES = {"gnome", "gimp", "libreoffice-help"}
"""Sets that are made from Debian's packages, whose release lists them."""
FILES = {"reference.txt": b"one\ntwo\n", "systems/a.txt": b"uno\ndue\n", "systems/b.txt": b"un\ndeux\n"}


def manifest_of(folder: Path, **changes: Any) -> Path:
    """A manifest `tiny` of FILES, with changed keys; entries of the first file are changed by `entry`."""
    entry = changes.pop("entry", {})
    files = [
        {"path": name, "url": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in FILES.items()
    ]
    files[0].update(entry)
    record = {
        "title": "Tiny", "origin": "here", "licence": "free", "citation": "nobody", "by_hand": "copy",
        "mirror": "sets/tiny", "url": "https://example.org/x/", "files": files, "http": "on this machine", **changes,
    }  # fmt: skip
    return put(folder / "tiny.yaml", yaml.safe_dump(record)).parent


@pytest.fixture
def server() -> Iterator[Served]:
    with serving() as served:
        served.files = {f"/{name}": data for name, data in FILES.items()}
        yield served


@pytest.fixture
def manifests(tmp_path: Path, server: Served) -> Path:
    return manifest_of(tmp_path / "manifests", url=server.url)


def files_of(manifests: Path, **places: Any) -> ManifestFiles:
    return ManifestFiles(load_manifest("tiny", manifests), **places)


def mirror_of(tmp_path: Path, packed: bool = False) -> Path:
    for name, data in FILES.items():
        path = tmp_path / "mirror" / "sets" / "tiny" / (name + ".gz" if packed else name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(data, mtime=0) if packed else data)
    return tmp_path / "mirror"


@pytest.mark.parametrize("packed", [False, True])
def test_a_mirror_holds_files_plain_or_packed(tmp_path: Path, manifests: Path, packed: bool) -> None:
    paths = files_of(manifests, mirror=str(mirror_of(tmp_path, packed))).locate(list(FILES))
    assert {name: TextFile(path).lines() for name, path in paths.items()} == {
        name: tuple(data.decode().split()) for name, data in FILES.items()
    }


def test_only_what_is_asked_for_must_be_there(tmp_path: Path, manifests: Path) -> None:
    mirror = mirror_of(tmp_path)
    (mirror / "sets" / "tiny" / "systems" / "b.txt").unlink()
    files = files_of(manifests, mirror=str(mirror))
    assert list(files.locate(["reference.txt", "systems/a.txt"])) == ["reference.txt", "systems/a.txt"]
    with pytest.raises(MissingData, match=r"1 of 3 files .* found neither"):
        files.locate(["systems/a.txt", "systems/b.txt"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"one\ntwX\n", r"reference\.txt: not the content .*its sha256 is [0-9a-f]{64}"),
        (gzip.compress(b"one\ntwo\n", mtime=0)[:-4], r"reference\.txt: the gzip file is damaged or truncated"),
    ],
)
def test_a_mirror_with_other_content(tmp_path: Path, manifests: Path, content: bytes, message: str) -> None:
    mirror = mirror_of(tmp_path)
    (mirror / "sets" / "tiny" / "reference.txt").write_bytes(content)
    with pytest.raises(InputError, match=message):
        files_of(manifests, mirror=str(mirror)).locate(["reference.txt"])


def test_downloads_go_to_the_cache_and_are_asked_for_once(tmp_path: Path, manifests: Path, server: Served) -> None:
    cache = str(tmp_path / "cache")
    for _ in range(2):
        paths = files_of(manifests, cache=cache, download=True).locate(["systems/b.txt", "reference.txt"])
        assert paths["systems/b.txt"].read_bytes() == FILES["systems/b.txt"]
    assert server.asked == ["/systems/b.txt", "/reference.txt"]
    assert files_of(manifests, cache=cache).locate(["reference.txt"]) == {"reference.txt": paths["reference.txt"]}


def test_what_is_packed_at_its_address_stays_so_in_the_cache(tmp_path: Path, server: Served) -> None:
    data = FILES["reference.txt"]
    sent = gzip.compress(data)
    server.files["/r.gz"] = sent
    entry = {"url": "r.gz", "packing": "gzip", "packed_bytes": len(sent)}
    entry |= {"packed_sha256": hashlib.sha256(sent).hexdigest()}
    files = files_of(manifest_of(tmp_path / "m", url=server.url, entry=entry), cache=str(tmp_path), download=True)
    for _ in range(2):
        (path,) = files.locate(["reference.txt"]).values()
        assert (path.name, TextFile(path).lines()) == ("reference.txt.gz", ("one", "two"))
    assert len(server.asked) == 1
    manifest_of(tmp_path / "n", url=server.url, entry={**entry, "sha256": "0" * 64})
    with pytest.raises(InputError, match=r"reference\.txt\.gz: not the content that the manifest promises"):
        files_of(tmp_path / "n", cache=str(tmp_path / "other"), download=True).locate(["reference.txt"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"title": None}, r"tiny\.yaml: 'title' is no text"),
        ({"files": []}, r"'files' is empty"),
        ({"files": ["x"]}, r"an item of 'files' is no object"),
        ({"shipped": ["x"]}, r"'shipped' is no object"),
        ({"facts": ["x"]}, r"'facts' is no text"),
        ({"facts": "../x.tar"}, r"'\.\./x\.tar' points outside"),
        ({"shipped": {"docs.tsv": "../docs.tsv"}}, r"'\.\./docs\.tsv' points outside"),
        ({"mirror": "../x"}, r"'\.\./x' points outside"),
        ({"entry": {"path": "../../evil"}}, r"'\.\./\.\./evil' points outside the data set"),
        ({"entry": {"path": "/evil"}}, r"'/evil' points outside the data set"),
        ({"entry": {"url": "file:///etc/passwd"}}, r"only https and http addresses, and packages"),
        ({"entry": {"url": "http://example.org/"}, "http": None}, r"http://example\.org/: use https; .* a key http:"),
        ({"entry": {"bytes": "8"}}, r"'bytes' is no int"),
        ({"entry": {"sha256": "abc"}}, r"reference\.txt: 'sha256' is not as \[0-9a-f\]\{64\}"),
        ({"entry": {"packing": "zip"}}, r"packing=zip: is none or gzip; .* by_hand: true"),
        ({"entry": {"packing": "gzip"}}, r"reference\.txt: 'packed_bytes' is missing"),
    ],
)
def test_faulty_manifests(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_manifest("tiny", manifest_of(tmp_path / "m", **changes))


def test_names_and_yaml(tmp_path: Path, manifests: Path) -> None:
    with pytest.raises(UnknownName, match=r"data set 'tinny'\. Did you mean 'tiny'\?"):
        load_manifest("tinny", manifests)
    with pytest.raises(UnknownName, match=r"file of data set tiny 'x'"):
        files_of(manifests).locate(["x"])
    (manifests / "bad.yaml").write_text("a: [")
    with pytest.raises(ConfigError, match=r"bad\.yaml: not YAML"):
        load_manifest("bad", manifests)


@given(
    st.sampled_from(["title", "mirror", "url", "files", "shipped", "facts", "path", "bytes", "sha256", "packing"]),
    st.one_of(st.none(), st.integers(), st.text(max_size=5), st.lists(st.integers(), max_size=2), st.just({"a": [1]})),
    st.binary(max_size=30),
)
def test_any_manifest_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, key: str, value: object, tail: bytes
) -> None:
    entry = key in ("path", "bytes", "sha256", "packing")
    folder = manifest_of(tmp_path_factory.mktemp("fuzz"), **({"entry": {key: value}} if entry else {key: value}))
    for content in (b"", tail):
        with (folder / "tiny.yaml").open("ab") as out:
            out.write(content)
        try:
            found = load_manifest("tiny", folder)
        except ClirbenchError:
            continue
        assert len(found.files) == len(FILES)


def test_shipped_manifests_agree_with_the_published_list(shared_data: Path) -> None:
    """upstream.tsv is the list of origins: repository, commit, path, sizes and hashes of packed and unpacked files."""
    lines = (shared_data / "upstream.tsv").read_text().rstrip("\n").split("\n")
    header = lines[0].split("\t")
    by_path = {row["local_path"]: row for row in (dict(zip(header, ln.split("\t"), strict=True)) for ln in lines[1:])}
    counts = {}
    for name in set(manifest_names()) - PACKAGES:
        manifest = load_manifest(name)
        files = [file for file in manifest.files if not file.by_hand]  # what is published with its content
        for file in files:
            local = f"{manifest.mirror}/{file.path}"
            row = by_path.get(local) or by_path[f"{local}.gz"]  # .gz: plain there, packed in the mirror
            assert file.sent == (int(row["upstream_bytes"]), row["upstream_sha256"])
            assert file.url.endswith(f"/{row['repository']}/{row['commit']}/{row['upstream_path']}")
            if local in by_path:
                assert (file.bytes, file.sha256) == (int(row["local_bytes"]), row["local_sha256"])
                assert (file.packing == "gzip") == (row["packing"] == "gzip")
            else:
                assert file.packing == "none"
        counts[name] = len(files)
    assert counts == {
        "gov2": 1, "gowda2021_bleurt_bias": 4, "gowda2021_type_weight": 2, "gowda2021_unmt_deen": 8,
        "gowda2021_unmt_ende": 8, "lignos2019_csen": 18, "lignos2019_deen": 18, "webnlg2017_human": 5,
        "wmt21_deen": 22, "wmt21_isen": 12, "wmt21_jaen": 18, "wmt21_ruen": 13,
        "wmt21": 303, "wmt22": 232, "wmt23": 216,
        "hc4_fas": 4, "hc4_rus": 4, "hc4_zho": 4, "neuclir_fas": 0, "neuclir_rus": 0, "neuclir_zho": 0,
    }  # fmt: skip


def test_every_shipped_set_but_one_is_found_in_the_mirror(shared_data: Path) -> None:
    for name in set(manifest_names()) - PACKAGES:
        manifest = load_manifest(name)
        files = ManifestFiles(manifest, mirror=str(shared_data))
        if name == "lignos2019_deen":  # listed there, but its files do not lie in the mirror
            with pytest.raises(MissingData, match=r"18 of 18 files"):
                files.locate(list(manifest.by_path))
        else:
            known = [file.path for file in manifest.files if not file.by_hand]
            assert len(files.locate(known)) == len(known)


def test_shipped_facts_agree_with_their_origin(shared_data: Path) -> None:
    for pair in ("de", "ru", "ja", "is"):
        folder = shared_data / "wmt21" / f"{pair}-en"
        shipped = load_manifest(f"wmt21_{pair}en").shipped
        docs = [tuple(line.split("\t")[:2]) for line in (folder / "docs.tsv").read_text().rstrip("\n").split("\n")]
        assert [tuple(line.split("\t")) for line in TextFile(shipped["docs.tsv"]).lines()] == docs
        human = [line.split("\t") for line in (folder / "human.tsv").read_text().rstrip("\n").split("\n")]
        expected = {(row[0], row[1]) for row in human[1:] if row[5] == "system"}
        assert {tuple(line.split("\t")) for line in TextFile(shipped["scores.tsv"]).lines()[1:]} == expected
        judged = [line.split("\t") for line in (folder / "human-seg.tsv").read_text().rstrip("\n").split("\n")[1:]]
        systems = [tuple(row[:3]) for row in judged if row[0] != "HUMAN"]
        assert [tuple(line.split("\t")) for line in TextFile(shipped["human-seg.tsv"]).lines()[1:]] == systems


def columns(path: Path, names: list[str]) -> list[tuple[str, ...]]:
    """The rows of a table, plain or .gz, by some of its columns."""
    rows = [line.split("\t") for line in TextFile(path).lines()]
    return [tuple(row[rows[0].index(name)] for name in names) for row in rows]


def test_facts_of_wmt_agree_with_their_origin(shared_data: Path, tmp_path: Path) -> None:
    """Documents of 33 language pairs (line and id alone), human scores of 20 and official scores of all 53."""
    counts = {"docs.tsv": 0, "human.tsv": 0, "official-metrics.tsv": 0}
    for year in ("wmt21", "wmt22", "wmt23"):
        manifest = load_manifest(year)
        folder = tmp_path / "data" / year
        assert unpack_facts(manifest, tmp_path) == sum(path.is_file() for path in folder.rglob("*"))
        assert {path.name for path in folder.iterdir()} == {file.path.split("/")[0] for file in manifest.files}
        for path in folder.glob("*/*"):
            plain = shared_data / year / path.parent.name / path.name
            origin = plain if plain.is_file() else plain.with_name(f"{path.name}.gz")
            if path.name == "docs.tsv":
                assert TextFile(path).lines() == tuple(map("\t".join, columns(origin, ["line", "doc_id"])))
            else:
                assert path.read_bytes() == origin.read_bytes()
            counts[path.name] += 1
    assert counts == {"docs.tsv": 33, "human.tsv": 20, "official-metrics.tsv": 53}


def test_fetch_shows_what_it_would_do_then_does_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], server: Served
) -> None:
    """Files from the server and the shipped facts are side by side in the cache."""
    folder = manifest_of(tmp_path / "manifests", url=server.url, facts="tiny.facts.tar")
    (tmp_path / "docs.tsv").write_text("line\tdoc_id\n1\ta\n2\ta\n")
    with tarfile.open(folder / "tiny.facts.tar", "w") as archive:
        archive.add(tmp_path / "docs.tsv", "docs.tsv")
    monkeypatch.setattr("clirbench.datasets.manifests.manifest_folder", lambda: folder)
    home = tmp_path / "cache" / "data" / "tiny"
    facts = f"documents and official scores, shipped with clirbench (1 files), are now in {home}"
    for arguments, status, said, asked in (
        ([], 0, ["tiny", "Tiny"], 0),
        (["tiny"], 0, ["would fetch systems/a.txt", "add --yes"], 0),
        (["tiny", "--yes"], 0, ["3 files (0.0 kB) are now in the cache", facts], 3),
        (["tiny"], 0, ["nothing to do"], 3),
        (["tinny"], 1, ["error: unknown data set 'tinny'"], 3),
    ):
        assert main([*arguments, "--cache", str(tmp_path / "cache")]) == status
        shown = capsys.readouterr()
        assert [one for one in said if one not in shown.out + shown.err] == []
        assert len(server.asked) == asked
        assert home.exists() == bool(asked)
    held = {path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_file()}
    assert held == {*FILES, "docs.tsv"}


def test_what_is_missing_of_a_collection_and_where_to_put_it(cli: Cli, shared_data: Path) -> None:
    """Said by check=true, before anything is read; what lies in the mirror is not asked for again."""
    done = cli("+experiment=hc4_fas", "check=true", f"paths.mirror={shared_data}")
    assert done.returncode == 1
    assert "data set hc4_fas is not here: 3 of 7 files" in done.stderr
    assert done.stderr.count("way 1") == 1
    assert "DIR/clir/hc4/fas/hc4_docs.jsonl" in done.stderr
    assert "way 1:   none: nothing that is missing can be downloaded from here" in done.stderr
    assert "dev.topics" not in done.stderr


def test_the_message_names_every_file_that_nobody_can_fetch_for_you() -> None:
    """A message that is too long loses its middle; then a file would be missing from the list."""
    for name in manifest_names():
        manifest = load_manifest(name)
        said = str(missing_data(ManifestFiles(manifest, "/nowhere", "/nowhere")))
        assert " ... " not in said, name
        told = (manifest.title, manifest.licence, manifest.origin, manifest.citation, "paths.mirror=DIR")
        assert [part for part in told if part not in said] == [], name
        for file in manifest.files:
            assert not file.by_hand or (file.path in said and file.url in said), (name, file.path)


def test_neuclir_from_made_files_in_its_layout(cli: Cli) -> None:
    """Three years of topics and judgments, of which one file judges the documents of several languages."""
    home = cli.cwd / "data" / "clir" / "neuclir"
    texts = ["a flood in the north", "an election", "a vaccine trial", "another flood"]
    for name, kept in (("official", 4), ("other", 2)):
        left = [text if n < kept else "-" for n, text in enumerate(texts)]
        records = [f'{{"id": "d{n}", "title": "", "text": "{text}"}}\n' for n, text in enumerate(left)]
        put(home / "zho" / "mt" / f"{name}.jsonl", "".join(records))
    judged = ((2022, "flood", 3), (2023, "election", 1), (2024, "vaccine", 2))
    for topic, (year, word, document) in enumerate(judged):
        entry = f'{{"lang": "eng", "source": "original", "topic_title": "{word}", "topic_description": "{word}"}}'
        lines = [f'{{"topic_id": "{number}", "topics": [{entry}]}}\n' for number in (topic, topic + 7)]
        put(home / str(year) / "topics.jsonl", "".join(lines))
        (home / str(year) / "qrels").write_text(f"{topic} 0 d{document} 3\n{topic} 0 other-language 1\n")
    done = cli.succeed("+experiment=neuclir_zho", "paths.mirror=data", "hydra.run.dir=out")
    assert "6 topics, 3 scored" in done.stdout
    rows = [line.split("\t") for line in (cli.cwd / "out" / "systems.tsv").read_text().split("\n")[1:3]]
    assert [row[0] for row in rows] == ["official", "other"]
    assert float(rows[0][1]) == pytest.approx((0.5 + 1 + 1) / 3)  # of two floods alike, d0 goes first
    assert float(rows[1][1]) == pytest.approx(1 / 3)


def test_what_a_terminal_would_obey_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every text and name of a manifest with an escape sequence: all it says and all that is said of it."""
    bad = {key: f"{key}\x1b[31m" for key in ("title", "origin", "licence", "citation", "by_hand")}
    folder = manifest_of(tmp_path / "m", **bad, entry={"path": "a\x1b[2J.txt", "url": "http://h/\x1b[2J"})
    monkeypatch.setattr("clirbench.datasets.manifests.manifest_folder", lambda: folder)
    assert main([]) == main(["tiny", "--cache", str(tmp_path / "\x1bcache")]) == 0
    out = capsys.readouterr().out
    assert "title\\u001b[31m" in out
    assert "a\\u001b[2J.txt" in out
    with pytest.raises(MissingData) as raised:
        files_of(folder).locate(["systems/a.txt"])
    assert "\x1b" not in out + str(raised.value)
