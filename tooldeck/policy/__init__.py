"""Who may run what: rules over declared effects and origins, and what people have granted."""

from tooldeck.policy.policy import PRESETS, Policy

__all__ = ["PRESETS", "Policy"]
