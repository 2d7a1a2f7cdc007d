"""Published tables computed again, and the analyses, tests, metrics and relevance rules of papers."""
