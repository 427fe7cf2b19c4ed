"""The parts of ``skill_view``: finding skills, reading them."""
