"""Parts of ``checkpoint``."""
