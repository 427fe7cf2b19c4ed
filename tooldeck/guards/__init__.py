"""The guards that every tool shares: one module for each kind of danger."""
