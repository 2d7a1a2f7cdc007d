from clirbench.corpora.base import Corpus as Corpus
from clirbench.corpora.base import CorpusSource as CorpusSource
from clirbench.corpora.demo import DemoCorpus
from clirbench.corpora.documents import DocumentsCorpus
from clirbench.corpora.documents import JsonDocuments as JsonDocuments
from clirbench.corpora.europarl import EuroparlDocuments as EuroparlDocuments
from clirbench.corpora.folder import FolderCorpus
from clirbench.corpora.manifest import ManifestCorpus
from clirbench.corpora.mtme import MtmeCorpus
from clirbench.corpora.sgml import SgmlCorpus
from clirbench.corpora.subset import SubsetCorpus
from clirbench.corpora.trec_documents import TrecDocuments as TrecDocuments
from clirbench.corpora.wmt_xml import WmtXmlCorpus

Demo = DemoCorpus
Documents = DocumentsCorpus
Folder = FolderCorpus
Manifest = ManifestCorpus
Mtme = MtmeCorpus
Sgml = SgmlCorpus
Subset = SubsetCorpus
WmtXml = WmtXmlCorpus
