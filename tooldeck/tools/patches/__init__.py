"""Patches: reading both forms of them, and finding the places that they mean."""
