"""The errors that this package raises for bad input; all of them are `ValueError`s."""

from __future__ import annotations

from collections.abc import Sequence


class RulesError(ValueError):
    """A preset, a seat count or a `Rules` field that cannot be used. Says what would be right."""


class CardError(ValueError):
    """A text that is no card, or no list of cards."""


class IllegalActionError(ValueError):
    """A decision that the rules forbid now. Says which rule forbids it; nothing has changed."""


class PositionError(ValueError):
    """A position that cannot occur.

    Attributes:
        problems: every reason found, one sentence each.
    """

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = list(problems)
        super().__init__("impossible position: " + "; ".join(self.problems))


class RecordError(ValueError):
    """A game record that does not replay.

    Attributes:
        index: index of the first wrong decision in `decisions`; None where the fault is elsewhere.
    """

    def __init__(self, message: str, index: int | None = None) -> None:
        self.index = index
        super().__init__(message if index is None else f"decision {index}: {message}")


class ResampleError(ValueError):
    """No redraw of the hidden cards agrees with what the seat knows."""
