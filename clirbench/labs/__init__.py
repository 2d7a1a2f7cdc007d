"""Laboratories: packages beside the core, each with its code, its `conf/`, its commands; none knows another."""
