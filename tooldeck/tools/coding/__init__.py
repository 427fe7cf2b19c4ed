"""Parts of the tool `code`."""
