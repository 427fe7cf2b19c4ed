"""Parts of the tool `exec`."""
