from clirbench.corpora.base import Corpus as Corpus
from clirbench.corpora.base import CorpusSource as CorpusSource
from clirbench.corpora.folder import FolderCorpus
from clirbench.corpora.manifest import DemoCorpus, ManifestCorpus
from clirbench.labs.formats.documents import DocumentsCorpus
from clirbench.labs.formats.documents import EuroparlDocuments as EuroparlDocuments
from clirbench.labs.formats.documents import JsonDocuments as JsonDocuments
from clirbench.labs.formats.mtme import MtmeCorpus
from clirbench.labs.formats.wmt import SgmlCorpus, WmtXmlCorpus
from clirbench.labs.planning.corpus import SubsetCorpus

Demo = DemoCorpus
Documents = DocumentsCorpus
Folder = FolderCorpus
Manifest = ManifestCorpus
Mtme = MtmeCorpus
Sgml = SgmlCorpus
Subset = SubsetCorpus
WmtXml = WmtXmlCorpus
