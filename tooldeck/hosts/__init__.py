"""Hosts: how the pipeline waits, runs bodies and asks, outside of a notebook."""
