"""What tooldeck costs, as ratios to the plain thing, in one run: ``python -m benchmarks``."""
