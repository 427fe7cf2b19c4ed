"""The parts of ``handoff``: the agents of a deck, and working for one."""
