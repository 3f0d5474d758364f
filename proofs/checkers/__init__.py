"""Evidence checkers: one evidence type a file, exact arithmetic only."""
