"""Corpora in formats of others: Europarl, SGML, mt-metrics-eval, TREC documents; export."""
