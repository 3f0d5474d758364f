"""Answers for people and for programs: JSON, tables, Markdown."""
