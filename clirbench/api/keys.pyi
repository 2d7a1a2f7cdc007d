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
    metric: Name | Metric | Sequence[Name | Metric]
    analyses: Analysis | Sequence[Analysis]
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
    corpus__read_source: Any
    corpus__references: Any
    corpus__test_folder: Any
    corpus__translations: Any
    engine__address: Any
    engine__backend: Any
    engine__options: Any
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
    relevance__judged_by: Any
    relevance__k: Any
    relevance__missing_topics: Any
    relevance__path: Any
    relevance__share: Any
    relevance__unknown_documents: Any
    retrieval__analyzer: Any
    retrieval__b: Any
    retrieval__count_empty: Any
    retrieval__depth: Any
    retrieval__idf: Any
    retrieval__k1: Any
    retrieval__lengths: Any
    systems__cache: Any
    systems__defaults: Any
    systems__exclude: Any
    systems__include: Any
    systems__metadata: Any
    systems__model: Any
    systems__pattern: Any
    systems__quiet: Any
    systems__replicates: Any
    systems__shard_lines: Any
    systems__test_pattern: Any
    systems__unfinished: Any
    topics__analyzer: Any
    topics__fields: Any
    topics__language: Any
    topics__min_documents: Any
    topics__min_terms: Any
    topics__n: Any
    topics__path: Any
    topics__stop_structure: Any
    topics__terms: Any
    topics__translations: Any
    topics__weights: Any

class Keys(Settings, total=False):
    measures: Name | Measure | Sequence[Name | Measure | Any]
    given: Names | None
