"""The pipeline and its values: standard library and pydantic only, no notebook, no network."""
