"""From a user's parameters to proved verdicts: one file a theorem that can be applied."""
