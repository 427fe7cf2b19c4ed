"""Tools that are made of calls of others: defined as data, each step an ordinary call of the pipeline."""
