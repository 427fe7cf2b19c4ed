"""The stages of the pipeline, one file each; their order stands in `tooldeck.core.pipeline`."""
