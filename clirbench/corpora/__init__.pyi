from clirbench.corpora.base import Corpus as Corpus, CorpusSource as CorpusSource
from clirbench.corpora.folder import FolderCorpus
from clirbench.corpora.manifest import DemoCorpus, ManifestCorpus
from clirbench.labs.formats.documents import (
    DocumentsCorpus,
    EuroparlDocuments as EuroparlDocuments,
    JsonDocuments as JsonDocuments,
)
from clirbench.labs.formats.mtme import MtmeCorpus
from clirbench.labs.formats.wmt import SgmlCorpus, WmtXmlCorpus

Demo = DemoCorpus
Documents = DocumentsCorpus
Folder = FolderCorpus
Manifest = ManifestCorpus
Mtme = MtmeCorpus
Sgml = SgmlCorpus
WmtXml = WmtXmlCorpus
