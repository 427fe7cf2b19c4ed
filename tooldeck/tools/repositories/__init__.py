"""Parts of the tool `git`."""
