"""Corpora in formats of others: Europarl, SGML, WMT XML, mt-metrics-eval, documents."""
