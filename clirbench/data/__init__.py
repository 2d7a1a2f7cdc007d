"""Data that ship with the package."""
