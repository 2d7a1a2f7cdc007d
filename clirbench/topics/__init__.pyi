from clirbench.labs.search.pyserini import PyseriniTopics
from clirbench.topics.base import TopicSource as TopicSource
from clirbench.topics.files import JsonlTopics, TsvTopics
from clirbench.topics.made import KeyTerms as KeyTerms
from clirbench.topics.made import Sentences as Sentences
from clirbench.topics.made import Titles as Titles
from clirbench.topics.trec import TrecTopics

Jsonl = JsonlTopics
Trec = TrecTopics
Tsv = TsvTopics
pyserini = PyseriniTopics
