"""Translators that are run: any command, CTranslate2 models, transformers models; local ones only."""
