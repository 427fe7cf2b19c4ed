"""The parts of ``web``: getting pages past every guard, reading them, searching for them."""
