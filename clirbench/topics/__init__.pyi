from clirbench.labs.search.pyserini_topics import PyseriniTopics
from clirbench.topics.base import TopicSource as TopicSource
from clirbench.topics.jsonl import JsonlTopics
from clirbench.topics.made import KeyTerms as KeyTerms
from clirbench.topics.made import Sentences as Sentences
from clirbench.topics.made import Titles as Titles
from clirbench.topics.manifest import ManifestTopics
from clirbench.topics.trec import TrecTopics
from clirbench.topics.tsv import TsvTopics

Jsonl = JsonlTopics
Manifest = ManifestTopics
Trec = TrecTopics
Tsv = TsvTopics
pyserini = PyseriniTopics
