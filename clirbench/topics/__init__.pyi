from clirbench.topics.base import TopicSource as TopicSource
from clirbench.topics.files import JsonlTopics, TrecTopics, TsvTopics
from clirbench.topics.made import KeyTerms as KeyTerms
from clirbench.topics.made import RareTerms as RareTerms
from clirbench.topics.made import Sentences as Sentences
from clirbench.topics.made import Titles as Titles

Jsonl = JsonlTopics
Trec = TrecTopics
Tsv = TsvTopics
