from clirbench.topics.base import TopicSource as TopicSource
from clirbench.topics.files import JsonlTopics, TrecTopics, TsvTopics
from clirbench.topics.made import KeyTerms as KeyTerms, RareTerms as RareTerms, Sentences as Sentences, Titles as Titles

Jsonl = JsonlTopics
Trec = TrecTopics
Tsv = TsvTopics
