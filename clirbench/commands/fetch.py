"""`clirbench fetch [NAME ...] [--yes]`: what the data manifests list, where it is, and how to get it."""

import sys
from argparse import Namespace
from collections.abc import Sequence

from clirbench.commands.base import command_parser, run_command, say
from clirbench.datasets import manifests
from clirbench.errors import ConfigError


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status: 0, or 1 with a message on stderr."""
    parser = command_parser("fetch", __doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="a data set; without one all are listed")
    parser.add_argument("--yes", action="store_true", help="download; without it nothing is fetched")
    parser.add_argument("--every", action="store_true", help="also fetch files that are in the mirror")
    parser.add_argument("--mirror", default=None, metavar="DIR", help="paths.mirror: a folder of data that are ready")
    parser.add_argument("--cache", default="runs/.cache", metavar="DIR", help="paths.cache (default: %(default)s)")
    return run_command(parser, arguments, _list_or_fetch)


def _list_or_fetch(options: Namespace) -> int:
    if not options.names:
        for name in manifests.manifest_names():
            say(f"{name:20} {manifests.load_manifest(name).title}")
    for name in options.names:
        manifest = manifests.load_manifest(name)
        _fetch(manifests.ManifestFiles(manifest, options.mirror, options.cache, options.yes), options.every)
    return 0


def _fetch(files: manifests.ManifestFiles, every: bool) -> None:
    """Show where each file is, and get (or say what it would take to get) the others."""
    manifest = files.manifest
    say(f"{manifest.name}: {manifest.title}")
    for key in ("origin", "licence", "citation"):
        say(f"  {key}: {getattr(manifest, key)}")
    missing = []
    for file in manifest.files:
        path = files.found(file)
        if path is None or every:
            missing.append(file)
        else:
            manifests.verify(path, file)
            say(f"  is here     {file.path}  ({path})")
    if files.download and files.cache and manifest.facts:
        n_facts = manifests.unpack_facts(manifest, files.cache)
        home = manifests.cache_folder(files.cache, manifest)
        say(f"  documents and official scores, shipped with clirbench ({n_facts} files), are now in {home}")
    if not missing:
        say("  nothing to do: every file is here and has the promised content")
        return
    for file in missing:
        what = "by hand    " if file.by_hand else "downloading" if files.download else "would fetch"
        say(f"  {what} {file.path}  {manifests.megabytes(file.sent[0])}  {file.url}")
        if files.download and not file.by_hand:
            if not files.cache:
                raise ConfigError("--cache is empty: name the folder that keeps downloads")
            manifests.download(manifest, [file], files.cache)
    total = manifests.megabytes(sum(file.sent[0] for file in missing if not file.by_hand))
    if files.download:
        fetched = sum(not file.by_hand for file in missing)
        say(f"  {fetched} files ({total}) are now in the cache {files.cache}, verified")
    else:
        say(f"  {len(missing)} files, {total}: nothing was downloaded; add --yes to download them.")
        say(f"  By hand: {manifest.by_hand}")


if __name__ == "__main__":
    sys.exit(main())
