"""Folders of a workspace: which files there are, which of them count, and what stands in them."""
