"""Everything about describing tools that is not a Python function."""
