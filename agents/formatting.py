"""Numbers of results as text."""

from __future__ import annotations

from collections.abc import Sequence


def text(value: float | None, form: str) -> str:
    """The value in a format, or `-` where there is none."""
    return "-" if value is None else format(value, form)


def with_half_width(mean: float | None, interval: Sequence[float | None]) -> str:
    """Such as `+12.3 ± 4.5`."""
    low, high = interval
    if low is None or high is None:
        return text(mean, "+.1f")
    return f"{text(mean, '+.1f')} ± {(high - low) / 2:.1f}"


def rate(value: float | None, interval: Sequence[float | None]) -> str:
    """Such as `51.0% (48.0% to 54.0%)`."""
    low, high = (text(end, ".1%") for end in interval)
    return f"{text(value, '.1%')} ({low} to {high})"


def duration(milliseconds: float | None) -> str:
    """Such as `1.5 µs`, `12 ms` or `1.25 s`."""
    if milliseconds is None:
        return "-"
    for unit, size in (("s", 1000.0), ("ms", 1.0), ("µs", 0.001)):
        if milliseconds >= size:
            return f"{milliseconds / size:.3g} {unit}"
    return f"{milliseconds * 1e6:.0f} ns"


def shortened(name: str, length: int) -> str:
    """The name, with its middle left out where it is longer than that."""
    if len(name) <= length:
        return name
    head = (length - 1) // 2
    return f"{name[:head]}…{name[head + 1 - length :]}"
