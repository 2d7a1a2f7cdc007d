"""The keywords of `cb.run`; written by docs/generator/keys.py."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias, TypedDict

from clirbench.corpora.base import CorpusSource
from clirbench.engines.base import Engine
from clirbench.files.score_tables import ScoreTables
from clirbench.measures.base import Measure
from clirbench.metrics.base import Metric
from clirbench.relevance.base import Relevance
from clirbench.result import Analysis
from clirbench.retrieval.base import Retriever
from clirbench.statistics.bootstrap import Bootstrap
from clirbench.systems.base import SystemSource
from clirbench.topics.base import TopicSource

Name: TypeAlias = str | int | float | Path
Names: TypeAlias = Name | Sequence[Name]

class Settings(TypedDict, total=False):
    corpus: Name | CorpusSource
    systems: Name | SystemSource
    topics: Name | TopicSource | Mapping[str, TopicSource]
    retrieval: Name | Retriever | Mapping[str, Retriever]
    relevance: Name | Relevance | Mapping[str, Relevance]
    engine: Name | Engine
    metric: Names
    metrics: Metric | Sequence[Metric]
    analyses: Mapping[str, Any] | Analysis | Sequence[Analysis]
    analyzer: Name
    intervals: Bootstrap | None
    scores: Mapping[str, Any] | ScoreTables
    correlation: Mapping[str, Any]
    output: Mapping[str, Any]
    limits: Mapping[str, int]
    paths: Mapping[str, Name]
    documents: Mapping[str, int]
    pool: Mapping[str, Any]
    coefficients: Names
    figures: Names
    table_formats: Names
    alpha: float
    p_value: str
    complete_pairs: bool
    table_title: str
    write_runs: str
    cache: Name
    paper: Name
    name: Name | None
    folder: Name | None
    test_folder: Name | None
    references: Names | None
    runs: Name | None
    documents__size: int | None
    languages: Name | None
    analysis: Names | None
    pair: Names | None
    primary: Name | None
    units: Name | None
    untranslated: bool | None
    baseline: Name | None
    keep_copies: bool | None
    margin: float | None
    pool__about: Mapping[str, Name] | None
    pool__groups: Names | None
    pool__apart: Names | None
    pool__tables: Names | None
    pool__measures: Names | None
    pool__metrics: Names | None
    pool__plan: Name | None
    pool__known_items: Name | None
    correlation__coefficients: Names | None
    correlation__alpha: float | None
    correlation__p_value: Name | None
    correlation__intervals: Mapping[str, Any] | None
    correlation__complete_pairs: bool | None
    scores__tables: Names | None
    scores__measures: Names | None
    scores__lower_is_better: Names | None
    scores__ignore: Names | None
    scores__metadata: Names | None
    scores__rename: Mapping[str, Name] | None
    scores__title: Name | None
    scores__mark: Name | None
    scores__missing: Name | None
    title: Name | None
    remarks: Names | None
    paths__mirror: Name | None
    paths__cache: Name | None
    download: bool | None
    seed: int | None
    check: bool | None
    limits__line_bytes: int | None
    limits__held_bytes: int | None
    limits__unpacked_bytes: int | None
    limits__lines: int | None
    limits__json_depth: int | None
    limits__topics: int | None
    limits__pairs: int | None
    output__runs: Name | None
    output__figures: Names | None
    output__json: bool | None
    output__quiet: bool | None
    output__tables: Names | None
    analyses__accuracy__complete: Any
    analyses__accuracy__samples: Any
    analyses__accuracy__seed: Any
    analyses__choice__complete: Any
    analyses__choice__patiences: Any
    analyses__choice__points: Any
    analyses__choice__seed: Any
    analyses__choice__series: Any
    analyses__choice__shortlists: Any
    analyses__differences__alpha: Any
    analyses__differences__coefficient: Any
    analyses__differences__complete: Any
    analyses__differences__samples: Any
    analyses__differences__seed: Any
    analyses__differences__tests: Any
    analyses__favoritism__pair: Any
    analyses__favoritism__top: Any
    analyses__imbalance__floor: Any
    analyses__imbalance__learner: Any
    analyses__imbalance__percent: Any
    analyses__imbalance__rates: Any
    analyses__imbalance__sizes: Any
    analyses__imbalance__statistics: Any
    analyses__imbalance__text: Any
    analyses__lost_topics__measure: Any
    analyses__lost_topics__metric: Any
    analyses__lost_topics__pair: Any
    analyses__lost_topics__top: Any
    analyses__memory__languages: Any
    analyses__multiverse__choices: Any
    analyses__multiverse__coefficient: Any
    analyses__pairs__alpha: Any
    analyses__pairs__pair: Any
    analyses__pairs__samples: Any
    analyses__pairs__sampling: Any
    analyses__pairs__seed: Any
    analyses__pairs__tests: Any
    analyses__power__alpha: Any
    analyses__power__differences: Any
    analyses__power__seed: Any
    analyses__power__simulations: Any
    analyses__power__wanted: Any
    analyses__robustness__complete: Any
    analyses__robustness__groups: Any
    analyses__robustness__series: Any
    analyses__score_intervals__samples: Any
    analyses__score_intervals__sampling: Any
    analyses__score_intervals__seed: Any
    analyses__segment_level__gold: Any
    analyses__segment_level__human: Any
    analyses__segment_level__matrices: Any
    analyses__segment_level__ratings: Any
    analyses__segment_level__samples: Any
    analyses__segment_level__score: Any
    analyses__segment_level__seed: Any
    analyses__sensitivity__measures: Any
    analyses__sensitivity__metric: Any
    analyses__sensitivity__seed: Any
    analyses__subset__depths: Any
    analyses__subset__fractions: Any
    analyses__subset__halves: Any
    analyses__subset__measure: Any
    analyses__subset__samples: Any
    analyses__subset__seed: Any
    analyses__subset__sure: Any
    analyses__subset__tau: Any
    analyses__training__floor: Any
    analyses__type_weights__lowercase: Any
    analyses__type_weights__only: Any
    analyses__type_weights__tokenize: Any
    analyses__types__first: Any
    analyses__types__lowercase: Any
    analyses__types__only: Any
    analyses__types__pair: Any
    analyses__types__tokenize: Any
    analyzer__code: Any
    analyzer__lower: Any
    analyzer__n: Any
    analyzer__stem: Any
    analyzer__stop_words: Any
    corpus__cache: Any
    corpus__collection: Any
    corpus__defaults: Any
    corpus__documents_size: Any
    corpus__download: Any
    corpus__english: Any
    corpus__folder: Any
    corpus__manifest: Any
    corpus__mirror: Any
    corpus__pair: Any
    corpus__part: Any
    corpus__path: Any
    corpus__read_source: Any
    corpus__reader: Any
    corpus__reference: Any
    corpus__references: Any
    corpus__scores: Any
    corpus__sentences: Any
    corpus__source: Any
    corpus__systems: Any
    corpus__test_documents: Any
    corpus__test_folder: Any
    corpus__translations: Any
    engine__address: Any
    engine__cluster: Any
    engine__folder: Any
    engine__forks: Any
    engine__options: Any
    engine__patience: Any
    engine__scheduler: Any
    engine__threads: Any
    engine__workers: Any
    metric__BERTScore__aggregate: Any
    metric__BERTScore__columns: Any
    metric__BERTScore__format: Any
    metric__BERTScore__higher_is_better: Any
    metric__BERTScore__missing: Any
    metric__BERTScore__name: Any
    metric__BERTScore__path: Any
    metric__BERTScore__rename: Any
    metric__BERTScore__scale: Any
    metric__BERTScore__select: Any
    metric__BLEURTmean__aggregate: Any
    metric__BLEURTmean__columns: Any
    metric__BLEURTmean__format: Any
    metric__BLEURTmean__higher_is_better: Any
    metric__BLEURTmean__missing: Any
    metric__BLEURTmean__name: Any
    metric__BLEURTmean__path: Any
    metric__BLEURTmean__rename: Any
    metric__BLEURTmean__scale: Any
    metric__BLEURTmean__select: Any
    metric__BLEURTmedian__aggregate: Any
    metric__BLEURTmedian__columns: Any
    metric__BLEURTmedian__format: Any
    metric__BLEURTmedian__higher_is_better: Any
    metric__BLEURTmedian__missing: Any
    metric__BLEURTmedian__name: Any
    metric__BLEURTmedian__path: Any
    metric__BLEURTmedian__rename: Any
    metric__BLEURTmedian__scale: Any
    metric__BLEURTmedian__select: Any
    metric__BLEU__effective_order: Any
    metric__BLEU__lowercase: Any
    metric__BLEU__max_ngram_order: Any
    metric__BLEU__name: Any
    metric__BLEU__smooth_method: Any
    metric__BLEU__smooth_value: Any
    metric__BLEU__tokenize: Any
    metric__BLEUplus1__lowercase: Any
    metric__BLEUplus1__name: Any
    metric__BLEUplus1__smoothing: Any
    metric__BLEUplus1__tokenize: Any
    metric__BS__lowercase: Any
    metric__BS__name: Any
    metric__BS__tokenize: Any
    metric__CDER__lowercase: Any
    metric__CDER__name: Any
    metric__CDER__tokenize: Any
    metric__COMET__aggregate: Any
    metric__COMET__columns: Any
    metric__COMET__format: Any
    metric__COMET__higher_is_better: Any
    metric__COMET__missing: Any
    metric__COMET__name: Any
    metric__COMET__path: Any
    metric__COMET__rename: Any
    metric__COMET__scale: Any
    metric__COMET__select: Any
    metric__Command__aggregate: Any
    metric__Command__batch_systems: Any
    metric__Command__cache: Any
    metric__Command__command: Any
    metric__Command__environment: Any
    metric__Command__higher_is_better: Any
    metric__Command__name: Any
    metric__Command__pattern: Any
    metric__Command__scale: Any
    metric__Command__shell: Any
    metric__Command__timeout: Any
    metric__Command__version: Any
    metric__CopyRate__lowercase: Any
    metric__CopyRate__name: Any
    metric__CopyRate__tokenize: Any
    metric__LengthRatio__lowercase: Any
    metric__LengthRatio__name: Any
    metric__LengthRatio__tokenize: Any
    metric__METEOR__alpha: Any
    metric__METEOR__beta: Any
    metric__METEOR__gamma: Any
    metric__METEOR__name: Any
    metric__METEOR__synonyms: Any
    metric__METEOR__tokenize: Any
    metric__METEOR__wordnet: Any
    metric__MacroF1__beta: Any
    metric__MacroF1__lowercase: Any
    metric__MacroF1__name: Any
    metric__MacroF1__tokenize: Any
    metric__MacroP__lowercase: Any
    metric__MacroP__name: Any
    metric__MacroP__tokenize: Any
    metric__MacroR__lowercase: Any
    metric__MacroR__name: Any
    metric__MacroR__tokenize: Any
    metric__MetricX__aggregate: Any
    metric__MetricX__columns: Any
    metric__MetricX__format: Any
    metric__MetricX__higher_is_better: Any
    metric__MetricX__missing: Any
    metric__MetricX__name: Any
    metric__MetricX__path: Any
    metric__MetricX__rename: Any
    metric__MetricX__scale: Any
    metric__MetricX__select: Any
    metric__MicroF1__beta: Any
    metric__MicroF1__k: Any
    metric__MicroF1__lowercase: Any
    metric__MicroF1__name: Any
    metric__MicroF1__tokenize: Any
    metric__NIST__lowercase: Any
    metric__NIST__max_ngram_order: Any
    metric__NIST__name: Any
    metric__NIST__tokenize: Any
    metric__PER__lowercase: Any
    metric__PER__name: Any
    metric__PER__tokenize: Any
    metric__QueryMacroF1__analyzer: Any
    metric__QueryMacroF1__average: Any
    metric__QueryMacroF1__beta: Any
    metric__QueryMacroF1__corpus: Any
    metric__QueryMacroF1__k: Any
    metric__QueryMacroF1__name: Any
    metric__QueryMacroF1__topics: Any
    metric__QueryMacroF1__weights: Any
    metric__QueryMacroF1idf__analyzer: Any
    metric__QueryMacroF1idf__average: Any
    metric__QueryMacroF1idf__beta: Any
    metric__QueryMacroF1idf__corpus: Any
    metric__QueryMacroF1idf__k: Any
    metric__QueryMacroF1idf__name: Any
    metric__QueryMacroF1idf__topics: Any
    metric__QueryMacroF1idf__weights: Any
    metric__QueryMicroF1__analyzer: Any
    metric__QueryMicroF1__average: Any
    metric__QueryMicroF1__beta: Any
    metric__QueryMicroF1__corpus: Any
    metric__QueryMicroF1__k: Any
    metric__QueryMicroF1__name: Any
    metric__QueryMicroF1__topics: Any
    metric__QueryMicroF1__weights: Any
    metric__QueryMicroF1idf__analyzer: Any
    metric__QueryMicroF1idf__average: Any
    metric__QueryMicroF1idf__beta: Any
    metric__QueryMicroF1idf__corpus: Any
    metric__QueryMicroF1idf__k: Any
    metric__QueryMicroF1idf__name: Any
    metric__QueryMicroF1idf__topics: Any
    metric__QueryMicroF1idf__weights: Any
    metric__RIBES__alpha: Any
    metric__RIBES__beta: Any
    metric__RIBES__lowercase: Any
    metric__RIBES__name: Any
    metric__RIBES__tokenize: Any
    metric__Random__name: Any
    metric__Random__seed: Any
    metric__RunBERTScore__aggregate: Any
    metric__RunBERTScore__batch_systems: Any
    metric__RunBERTScore__cache: Any
    metric__RunBERTScore__command: Any
    metric__RunBERTScore__environment: Any
    metric__RunBERTScore__higher_is_better: Any
    metric__RunBERTScore__name: Any
    metric__RunBERTScore__pattern: Any
    metric__RunBERTScore__scale: Any
    metric__RunBERTScore__shell: Any
    metric__RunBERTScore__timeout: Any
    metric__RunBERTScore__version: Any
    metric__RunBLEURT__aggregate: Any
    metric__RunBLEURT__batch_systems: Any
    metric__RunBLEURT__cache: Any
    metric__RunBLEURT__command: Any
    metric__RunBLEURT__environment: Any
    metric__RunBLEURT__higher_is_better: Any
    metric__RunBLEURT__name: Any
    metric__RunBLEURT__pattern: Any
    metric__RunBLEURT__scale: Any
    metric__RunBLEURT__shell: Any
    metric__RunBLEURT__timeout: Any
    metric__RunBLEURT__version: Any
    metric__RunCOMET__aggregate: Any
    metric__RunCOMET__batch_systems: Any
    metric__RunCOMET__cache: Any
    metric__RunCOMET__command: Any
    metric__RunCOMET__environment: Any
    metric__RunCOMET__higher_is_better: Any
    metric__RunCOMET__name: Any
    metric__RunCOMET__pattern: Any
    metric__RunCOMET__scale: Any
    metric__RunCOMET__shell: Any
    metric__RunCOMET__timeout: Any
    metric__RunCOMET__version: Any
    metric__RunMetricX__aggregate: Any
    metric__RunMetricX__batch_systems: Any
    metric__RunMetricX__cache: Any
    metric__RunMetricX__command: Any
    metric__RunMetricX__environment: Any
    metric__RunMetricX__higher_is_better: Any
    metric__RunMetricX__name: Any
    metric__RunMetricX__pattern: Any
    metric__RunMetricX__scale: Any
    metric__RunMetricX__shell: Any
    metric__RunMetricX__timeout: Any
    metric__RunMetricX__version: Any
    metric__ScoreFile__aggregate: Any
    metric__ScoreFile__columns: Any
    metric__ScoreFile__format: Any
    metric__ScoreFile__higher_is_better: Any
    metric__ScoreFile__missing: Any
    metric__ScoreFile__name: Any
    metric__ScoreFile__path: Any
    metric__ScoreFile__rename: Any
    metric__ScoreFile__scale: Any
    metric__ScoreFile__select: Any
    metric__SentBLEU__lowercase: Any
    metric__SentBLEU__name: Any
    metric__SentBLEU__smoothing: Any
    metric__SentBLEU__tokenize: Any
    metric__TER__asian_support: Any
    metric__TER__case_sensitive: Any
    metric__TER__name: Any
    metric__TER__no_punct: Any
    metric__TER__normalized: Any
    metric__TermMacroF1__analyzer: Any
    metric__TermMacroF1__average: Any
    metric__TermMacroF1__beta: Any
    metric__TermMacroF1__k: Any
    metric__TermMacroF1__name: Any
    metric__TermMacroF1__weights: Any
    metric__TermMacroF1idf__analyzer: Any
    metric__TermMacroF1idf__average: Any
    metric__TermMacroF1idf__beta: Any
    metric__TermMacroF1idf__k: Any
    metric__TermMacroF1idf__name: Any
    metric__TermMacroF1idf__weights: Any
    metric__TermMicroF1__analyzer: Any
    metric__TermMicroF1__average: Any
    metric__TermMicroF1__beta: Any
    metric__TermMicroF1__k: Any
    metric__TermMicroF1__name: Any
    metric__TermMicroF1__weights: Any
    metric__TermMicroF1idf__analyzer: Any
    metric__TermMicroF1idf__average: Any
    metric__TermMicroF1idf__beta: Any
    metric__TermMicroF1idf__k: Any
    metric__TermMicroF1idf__name: Any
    metric__TermMicroF1idf__weights: Any
    metric__TypeCount__lowercase: Any
    metric__TypeCount__name: Any
    metric__TypeCount__tokenize: Any
    metric__WER__lowercase: Any
    metric__WER__name: Any
    metric__WER__tokenize: Any
    metric__chrF1__beta: Any
    metric__chrF1__char_order: Any
    metric__chrF1__eps_smoothing: Any
    metric__chrF1__lowercase: Any
    metric__chrF1__name: Any
    metric__chrF1__whitespace: Any
    metric__chrF1__word_order: Any
    metric__chrF2__beta: Any
    metric__chrF2__char_order: Any
    metric__chrF2__eps_smoothing: Any
    metric__chrF2__lowercase: Any
    metric__chrF2__name: Any
    metric__chrF2__whitespace: Any
    metric__chrF2__word_order: Any
    metric__chrF3__beta: Any
    metric__chrF3__char_order: Any
    metric__chrF3__eps_smoothing: Any
    metric__chrF3__lowercase: Any
    metric__chrF3__name: Any
    metric__chrF3__whitespace: Any
    metric__chrF3__word_order: Any
    metric__chrFpp__beta: Any
    metric__chrFpp__char_order: Any
    metric__chrFpp__eps_smoothing: Any
    metric__chrFpp__lowercase: Any
    metric__chrFpp__name: Any
    metric__chrFpp__whitespace: Any
    metric__chrFpp__word_order: Any
    relevance__classes: Any
    relevance__download: Any
    relevance__ignore_case: Any
    relevance__k: Any
    relevance__missing_topics: Any
    relevance__name: Any
    relevance__of: Any
    relevance__path: Any
    relevance__percent: Any
    relevance__share: Any
    relevance__unit: Any
    relevance__unknown_documents: Any
    retrieval__analyzer: Any
    retrieval__b: Any
    retrieval__count_empty: Any
    retrieval__defaults: Any
    retrieval__depth: Any
    retrieval__epsilon: Any
    retrieval__fb_docs: Any
    retrieval__fb_terms: Any
    retrieval__idf: Any
    retrieval__index: Any
    retrieval__k: Any
    retrieval__k1: Any
    retrieval__lengths: Any
    retrieval__method: Any
    retrieval__original_query_weight: Any
    retrieval__passage: Any
    retrieval__passage_prefix: Any
    retrieval__query_prefix: Any
    systems__alias: Any
    systems__batch_lines: Any
    systems__cache: Any
    systems__commands: Any
    systems__concurrency: Any
    systems__defaults: Any
    systems__doses: Any
    systems__environment: Any
    systems__exclude: Any
    systems__extra: Any
    systems__include: Any
    systems__instructions: Any
    systems__key: Any
    systems__kinds: Any
    systems__lexicon: Any
    systems__max_tokens: Any
    systems__metadata: Any
    systems__model: Any
    systems__models: Any
    systems__pattern: Any
    systems__prompt: Any
    systems__quiet: Any
    systems__rates: Any
    systems__replicates: Any
    systems__retries: Any
    systems__seed: Any
    systems__shard_lines: Any
    systems__shell: Any
    systems__temperature: Any
    systems__test_pattern: Any
    systems__timeout: Any
    systems__unfinished: Any
    systems__url: Any
    systems__version: Any
    systems__versions: Any
    topics__analyzer: Any
    topics__cache: Any
    topics__download: Any
    topics__fields: Any
    topics__language: Any
    topics__min_documents: Any
    topics__min_terms: Any
    topics__mirror: Any
    topics__n: Any
    topics__name: Any
    topics__path: Any
    topics__stop_structure: Any
    topics__terms: Any
    topics__translations: Any
    topics__weights: Any

class Keys(Settings, total=False):
    measures: Name | Measure | Sequence[Name | Measure | Any]
    given: Names | None
