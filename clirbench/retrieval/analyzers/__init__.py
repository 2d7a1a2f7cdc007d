"""Analysers: what turns text into the terms that are matched."""
