"""Parts of the tool `lsp`: language servers, and what they know of a workspace, for other tools as well."""
