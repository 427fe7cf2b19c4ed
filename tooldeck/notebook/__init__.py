"""The notebook: magics, cards, approvals, and the bridge into the kernel."""
