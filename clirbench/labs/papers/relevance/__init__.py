"""Relevance rules of published experiments."""
