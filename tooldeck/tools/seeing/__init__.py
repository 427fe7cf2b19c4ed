"""The parts of ``media``: pictures and PDF are decoded in a process of their own, shut in, within limits."""
