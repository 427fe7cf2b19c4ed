"""Numbers: typed, so that none is too large and an empty box is no zero; or on a slider when bounded."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import ipywidgets

from tooldeck.notebook.forms.field import UNSET, Leaf, labelled

__all__ = ["NumberField", "SliderField", "bounds"]

_STEPS = 1000
"""The most whole numbers a slider spans."""


def bounds(schema: Mapping[str, Any], *, whole: bool) -> tuple[float, float, float] | None:
    """The least and the greatest value and the step of a slider, None where a slider cannot span them."""
    low, high = _number(schema.get("minimum")), _number(schema.get("maximum"))
    if whole and low is None and (beyond := _number(schema.get("exclusiveMinimum"))) is not None:
        low = beyond + 1
    if whole and high is None and (beyond := _number(schema.get("exclusiveMaximum"))) is not None:
        high = beyond - 1
    if low is None or high is None or not low < high or not math.isfinite(high - low):
        return None
    if whole and (high - low > _STEPS or low != int(low) or high != int(high)):
        return None
    step = _number(schema.get("multipleOf"))
    if step is None or step <= 0:
        return low, high, 1 if whole else (high - low) / 100
    even = all(abs(part - round(part)) < 1e-9 for part in (low / step, high / step))
    return (low, high, step) if even and not (whole and step != int(step)) else None


def _number(value: Any) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _decimals(step: float) -> int:
    """Digits behind the point that tell one step from the next."""
    return min(9, max(0, math.ceil(-math.log10(step))))


def _written(number: float) -> int:
    """Digits behind the point as it is written, 9 at most."""
    exponent = Decimal(repr(number)).normalize().as_tuple().exponent
    return min(9, max(0, -exponent)) if isinstance(exponent, int) else 0


class NumberField(Leaf):
    """A number typed as text; `hint` stands in the empty box."""

    def __init__(self, label: str, hint: str, *, whole: bool) -> None:
        super().__init__()
        self._whole = whole
        self.widget = labelled(ipywidgets.Text, label, placeholder=hint)
        self.widget.observe(self._watchers.tell, "value")

    def get(self) -> Any:
        """The number; unset while the box is empty, the text itself when it is no number."""
        text = self.widget.value.strip()
        if not text:
            return UNSET
        number = self._read(text)
        return text if number is None else number

    def _read(self, text: str) -> int | float | None:
        try:
            return int(text)
        except ValueError:
            pass
        try:
            number = float(text)
        except ValueError:
            return None
        if not math.isfinite(number) or (self._whole and number != int(number)):
            return None
        return int(number) if self._whole else number

    def set(self, value: Any) -> None:
        """Show a number."""
        self.widget.value = "" if value is UNSET or value is None else str(value)

    def fault(self) -> str:
        """Text that is no number is a fault."""
        text = self.widget.value.strip()
        if not text or self._read(text) is not None:
            return ""
        return f"{text!r} is no {'whole ' if self._whole else ''}number"


class SliderField(Leaf):
    """A number between two bounds; its readout can be typed in."""

    def __init__(self, label: str, low: float, high: float, step: float, *, whole: bool) -> None:
        super().__init__()
        kind = ipywidgets.IntSlider if whole else ipywidgets.FloatSlider
        self._whole = whole
        self._low, self._high = (int(low), int(high)) if whole else (float(low), float(high))
        self.widget = labelled(
            kind,
            label,
            min=self._low,
            max=self._high,
            value=self._low,
            step=int(step) if whole else step,
            readout_format="d" if whole else f".{_decimals(step)}f",
        )
        self.widget.observe(self._watchers.tell, "value")

    def get(self) -> Any:
        """The number under the knob."""
        return self.widget.value

    def set(self, value: Any) -> None:
        """Move the knob; to the lower end for no value."""
        number = self._low if _number(value) is None else value
        number = min(self._high, max(self._low, int(number) if self._whole else float(number)))
        with self.widget.hold_sync():
            self._refine(number)
            self.widget.value = number

    def _refine(self, number: float) -> None:
        """Make the steps so small that one of them is this number: a page moves the knob to a step."""
        steps = (number - self._low) / self.widget.step
        if abs(steps - round(steps)) < 1e-9:
            return
        decimals = 0 if self._whole else max(_written(number), _written(self._low))
        self.widget.step = 1 if self._whole else 10.0**-decimals
        self.widget.readout_format = "d" if self._whole else f".{decimals}f"
