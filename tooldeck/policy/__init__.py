"""Who may run what: rules over tools, arguments, effects and origins, and what people have granted."""

from tooldeck.policy.grants import Grant
from tooldeck.policy.policy import Policy
from tooldeck.policy.presets import PRESETS
from tooldeck.policy.rules import Rule
from tooldeck.policy.weighing import Explanation

__all__ = ["PRESETS", "Explanation", "Grant", "Policy", "Rule"]
