"""Help pages as collections of known items: the titles that people wrote are queries, the page of a title its answer.

A set of pages is some of Debian's packages (`data_manifests/SET.yaml`); its languages share the pages. Of each page the
lines are kept that both languages have at the same place (an id, else the way through the document), in the order of
the English page, but not those that are the title, are not translated, have fewer than 3 letters, or stand on more than
1 % of the pages. A title is a query if no other page has it and two of its words say something; it is in no document.
"""

import gzip
import html
import io
import json
import random
import re
import tarfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from clirbench.corpora.base import Corpus
from clirbench.corpora.folder import FolderCorpus
from clirbench.corpora.sides import SideTexts
from clirbench.datasets.manifests import ManifestFiles, cache_folder, load_manifest
from clirbench.errors import ConfigError, InputError
from clirbench.files.tables import read_table
from clirbench.store.store import write_whole
from clirbench.text import TextFile

HEADINGS = frozenset(f"h{level}" for level in range(1, 7))
NUMBER = re.compile(r"(?:[^\W\d_]{5,} )?(?:\d+|[A-Z])(?:\.\d+)*\. ")
VOID = frozenset(("meta", "img", "br", "hr", "input", "base", "include"))
WORD, LETTER = re.compile(r"[^\W\d_]{3,}"), re.compile(r"\w")
SAY_NOTHING = frozenset(["about", "and", "for", "from", "how", "the", "this", "use", "with", "your"])
TOO_OFTEN = 0.01
"""Share of the English pages above which a line is no text of a page but of them all."""
FEWEST_LETTERS = 3
VERSION = 1
"""Of what is kept in the cache: pages of another version are made again."""
ABOUT = "(?s)<{0}>(.*?)</{0}>"


@dataclass(frozen=True)
class PageSet:
    """`member`: names of the packages' files, with groups `language` and `page`; `english`: what that is called.

    `lines`: elements that are a line; `without`: elements or classes that are left out whole. `by_id`: lines are found
    by their ids. A page has `fewest` to `most` lines and `words` English words: in one language what is longer is cut;
    with `drawn`, the number of pages that are drawn (seed 1) in every language, nothing is cut. `about`: an element
    with a second query.
    """

    member: str
    english: str
    languages: tuple[str, ...]
    lines: frozenset[str]
    without: frozenset[str]
    prefix: str
    fewest: int = 3
    most: int = 25
    words: int = 30
    by_id: bool = False
    drawn: int = 0
    about: str = ""


SETS: Mapping[str, PageSet] = {
    "gnome": PageSet(
        r"\./usr/share/help/(?P<language>[^/]+)/(?P<page>[^/]+/[^/]+\.page)", "C", ("ca", "es", "fr", "gl", "pt_BR"),
        frozenset(("p", "title")), frozenset(("info", "comment")), "gnome", about="desc",
    ),
    "gimp": PageSet(
        r"\./usr/share/gimp/2\.0/help/(?P<language>[^/]+)/(?P<page>[^/]+\.html)", "en", ("ca", "es", "fr", "it"),
        HEADINGS | {"p", "dt"}, frozenset(("head", "navheader", "navfooter", "toc")), "gimp",
    ),
    "libreoffice-help": PageSet(
        r"\./usr/share/libreoffice/help/(?P<language>[^/]+)/text/(?P<page>.+\.html)", "en-US",
        ("ca", "es", "eu", "fr", "gl", "it", "pt"), HEADINGS | {"p"},
        frozenset(("head", "header", "aside", "footer", "pre", "related", "code", "bascode")), "lo",
        fewest=4, most=20, words=40, by_id=True, drawn=650,
    ),
}  # fmt: skip


Pages = dict[str, dict[str, str]]
"""By page, what `lines_of` finds."""


class PageLines(HTMLParser):
    """The lines of a page, HTML or XML: of each its element, its place and its text."""

    def __init__(self, of: PageSet) -> None:
        super().__init__()
        self.of = of
        self.open: list[tuple[str, str, int | None]] = []
        self.inside: list[Counter[str]] = [Counter()]
        self.found: list[tuple[str, str, list[str]]] = []
        self.left_out = 0

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        """An element without text."""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag in VOID:
            return
        known, line = dict(attrs), None
        self.inside[-1][tag] += 1
        place = f"{self.open[-1][1] if self.open else ''}/{tag}{self.inside[-1][tag]}"
        # The text of a picture is what stands for it where it cannot be shown.
        picture = tag in self.of.lines and bool(self.open) and self.open[-1][0] == "media"
        if picture or self.of.without & {tag, *(known.get("class") or "").split()}:
            self.left_out, line = self.left_out + 1, -1
        elif tag in self.of.lines and (known.get("id") or not self.of.by_id):
            line = len(self.found)
            self.found.append((tag, str(known["id"]) if self.of.by_id else place, []))
        self.open.append((tag, place, line))
        self.inside.append(Counter())

    def handle_endtag(self, tag: str) -> None:
        if any(tag == of for of, _, _ in self.open):
            ended = ""
            while ended != tag:
                ended, _, line = self.open.pop()
                self.inside.pop()
                self.left_out -= line == -1

    def handle_data(self, data: str) -> None:
        line = next((line for _, _, line in reversed(self.open) if line is not None), None)
        if line is not None and not self.left_out:
            self.found[line][2].append(data)


def lines_of(text: str, of: PageSet) -> dict[str, str]:
    """The lines of a page by their place, without the numbers of headings; the first is its title."""
    reader = PageLines(of)
    reader.feed(text)
    reader.close()
    found: dict[str, str] = {}
    for tag, place, parts in reader.found:
        if line := " ".join("".join(parts).split()):
            found.setdefault(place, NUMBER.sub("", line, count=1) if tag in HEADINGS and NUMBER.match(line) else line)
    return found


def packed(package: Path) -> Iterator[tuple[str, bytes]]:
    """The files of a Debian package: an ar archive, whose member data.tar has them. Raises `InputError`."""
    content, at = package.read_bytes(), 8
    while at < len(content):
        name, size = content[at : at + 16].decode("ascii").strip(), int(content[at + 48 : at + 58])
        if name.startswith("data.tar"):
            with tarfile.open(fileobj=io.BytesIO(content[at + 60 : at + 60 + size])) as archive:
                for member in archive:
                    stream = archive.extractfile(member) if member.isfile() else None
                    if stream is not None and member.name.endswith((".html", ".page")):
                        yield member.name, stream.read()
            return
        at += 60 + size + size % 2
    raise InputError(f"{package}: no package of Debian: it has no data.tar")


def read_pages(of: PageSet, packages: Mapping[str, Path]) -> tuple[dict[str, Pages], dict[str, str]]:
    """Of each language the lines of each page; and what its author says of an English page."""
    found: dict[str, Pages] = {language: {} for language in (of.english, *of.languages)}
    said: dict[str, str] = {}
    for package in packages.values():
        for name, content in packed(package):
            part = re.fullmatch(of.member, name)
            if part is None or part["language"] not in found:
                continue
            text = content.decode("utf-8")
            found[part["language"]][part["page"]] = lines_of(text, of)
            if of.about and part["language"] == of.english and (about := re.search(ABOUT.format(of.about), text)):
                said[part["page"]] = " ".join(html.unescape(re.sub("<[^>]*>", "", about[1])).split())
    return found, said


def kept_lines(
    english: Mapping[str, Mapping[str, str]], other: Mapping[str, Mapping[str, str]]
) -> dict[str, list[tuple[str, str]]]:
    """Of each page that both languages have, in order, its lines in English and in the other language."""
    pages_with = Counter(line for lines in english.values() for line in set(lines.values()))
    most = max(1, TOO_OFTEN * len(english))
    found: dict[str, list[tuple[str, str]]] = {}
    for page in sorted(english.keys() & other.keys()):
        (_, title), *lines = english[page].items() or (("", ""),)
        found[page] = [
            (line, other[page][place])
            for place, line in lines
            if place in other[page]
            and line != title
            and pages_with[line] <= most
            and len(_letters(line)) >= FEWEST_LETTERS
            and _letters(line) != _letters(other[page][place])
        ]
    return found


def build(name: str, packages: Mapping[str, Path], home: Path) -> None:
    """Write `home`/LANGUAGE for each language of the set, as `clirbench.corpora.layout` reads it, with topics.jsonl
    (`title`, `title_LANGUAGE`, and `desc` where authors say what a page is about), qrels.txt and pages.tsv.
    """
    of = SETS[name]
    read, said = read_pages(of, packages)
    english = read[of.english]
    sides = {language: kept_lines(english, read[language]) for language in of.languages}

    def fits(lines: list[tuple[str, str]]) -> bool:
        enough = len(lines) >= of.fewest and sum(len(line.split()) for line, _ in lines) >= of.words
        return enough and (not of.drawn or len(lines) <= of.most)

    fitting = {language: [page for page in side if fits(side[page])] for language, side in sides.items()}
    if of.drawn:
        everywhere = set.intersection(*map(set, fitting.values()))
        drawn = sorted(random.Random(1).sample(sorted(everywhere), of.drawn))
        fitting = dict.fromkeys(fitting, drawn)
    for language, pages in fitting.items():
        ids = {page: f"{of.prefix}{number:04}" for number, page in enumerate(pages)}
        lines = [(ids[page], *line) for page in pages for line in sides[language][page][: of.most]]
        titles = {page: next(iter(english[page].values())) for page in pages}
        times = Counter(title.casefold() for title in titles.values())
        asked = [page for page in pages if times[titles[page].casefold()] == 1 and _says(titles[page])]
        topics = [
            {"topic_id": f"t{ids[page]}", "title": titles[page]}
            | {f"title_{language}": next(iter(read[language][page].values()))}
            | ({"desc": said[page]} if page in said else {})
            for page in asked
        ]
        files = {
            "reference.txt.gz": [line for _, line, _ in lines],
            "source.txt.gz": [line for _, _, line in lines],
            "docs.tsv.gz": ["line\tdoc_id", *(f"{at}\t{doc_id}" for at, (doc_id, _, _) in enumerate(lines, 1))],
            "pages.tsv": ["doc_id\tpage", *(f"{doc_id}\t{page}" for page, doc_id in ids.items())],
            "topics.jsonl": [json.dumps(topic, ensure_ascii=False) for topic in topics],
            "qrels.txt": [f"t{ids[page]} 0 {ids[page]} 1" for page in asked],
        }
        for file, content in files.items():
            data = "".join(f"{line}\n" for line in content).encode()
            (home / language).mkdir(parents=True, exist_ok=True)
            write_whole(home / language / file, gzip.compress(data, mtime=0) if file.endswith(".gz") else data)


def page_folder(part: str | None, mirror: str | None = None, cache: str | None = None, download: bool = False) -> Path:
    """The folder of SET/LANGUAGE: that of the mirror, else that of the cache, which is made from the packages.

    Raises `ConfigError` for another part, and what `ManifestFiles.locate` does where it is nowhere yet.
    """
    name, _, language = (part or "").partition("/")
    if name not in SETS or language not in SETS[name].languages:
        parts = (f"{known}/{one}" for known, of in SETS.items() for one in of.languages)
        raise ConfigError(f"corpus.part={part}: SET/LANGUAGE was expected, one of {', '.join(parts)}")
    manifest = load_manifest(name)
    homes = [Path(mirror).expanduser() / manifest.mirror] if mirror else []
    homes += [cache_folder(cache, manifest) / f"pages-{VERSION}"] if cache else []
    for home in homes:
        if (home / language / "qrels.txt").is_file():
            return home / language
    packages = ManifestFiles(manifest, mirror, cache, download).locate(tuple(manifest.by_path))
    home = homes[-1]
    with TemporaryDirectory(prefix=".part-", dir=home.parent) as made:
        build(name, packages, Path(made))
        if not home.exists():
            Path(made).rename(home)
    return home / language


def with_distractors(folder: Path, others: Sequence[Path], home: Path) -> Path:
    """Write to `home` the collection of `folder` with the English pages of others after its own, on every side.

    Only the searched collection has them: metrics score the texts of `folder`.
    """
    added = b"".join(b"".join(TextFile(other / "reference.txt.gz").blocks()) for other in others)
    ids = [row["doc_id"] for one in (folder, *others) for row in read_table(one / "docs.tsv.gz").records()]
    (home / "systems").mkdir(parents=True, exist_ok=True)
    for path in (folder / "reference.txt.gz", folder / "source.txt.gz", *(folder / "systems").glob("*.txt*")):
        target = home / path.relative_to(folder).with_name(path.name.removesuffix(".gz"))
        write_whole(target, b"".join(TextFile(path).blocks()) + added)
    table = ["line\tdoc_id", *(f"{at}\t{doc_id}" for at, doc_id in enumerate(ids, 1))]
    write_whole(home / "docs.tsv", "".join(f"{row}\n" for row in table).encode())
    return home


def page_file(file: str, **where: Any) -> str:
    """A file of `page_folder`, for a key of the configuration."""
    return str(page_folder(**where) / file)


@dataclass(frozen=True)
class PageCorpus:
    """Pages of one set in one language, as test set and collection; `page_folder` says where, and what is raised.

    `distractors`: parts of other sets, whose English pages are searched too, in every system: further documents that
    answer no title. They are for translations that are there; an engine would translate English.
    """

    part: str | None = None
    mirror: str | None = None
    cache: str | None = None
    download: bool = False
    distractors: Sequence[str] = ()

    def read(self) -> Corpus:
        """As `FolderCorpus.read`."""
        return self._folder.read()

    def side_texts(self) -> SideTexts:
        """What tells the languages, distractors apart."""
        return replace(self, distractors=())._folder.side_texts()

    @property
    def _folder(self) -> FolderCorpus:
        where = {"mirror": self.mirror, "cache": self.cache, "download": self.download}
        folder = page_folder(self.part, **where)  # type: ignore[arg-type]
        if not self.distractors:
            return FolderCorpus(str(folder))
        sets = [str(part).partition("/")[0] for part in (self.part, *self.distractors)]
        if len(set(sets)) < len(sets) or not self.cache:
            said = f"corpus.distractors={list(self.distractors)}:"
            raise ConfigError(f"{said} name parts of other sets (and paths.cache)")
        others = [page_folder(part, **where) for part in self.distractors]  # type: ignore[arg-type]
        name = "+".join((str(self.part), *self.distractors)).replace("/", "-")
        home = with_distractors(folder, others, Path(self.cache).expanduser() / "data" / name)
        return FolderCorpus(str(home), str(folder))


def _letters(text: str) -> str:
    return "".join(LETTER.findall(text)).casefold()


def _says(title: str) -> bool:
    return len([word for word in WORD.findall(title.casefold()) if word not in SAY_NOTHING]) >= 2
