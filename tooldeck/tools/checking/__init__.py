"""Parts of the tool `verify`."""
