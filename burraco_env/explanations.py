"""Why a decision is illegal.

No rule is written down here a second time: the reason is found by asking the engine what would have
to be different (the phase, a rule, the hand) for the decision to be legal.
"""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from burraco_env.actions import (
    DISCARD,
    LAYOFF_RUN,
    MELD_RUN,
    NUM_ACTIONS,
    WILD_CHOICE,
    all_texts,
    pending_text,
)
from burraco_env.cards import CARD_TEXTS, KIND_CARDS, NUM_CARDS
from burraco_env.engine import legal
from burraco_env.melds import has_burraco_to_close
from burraco_env.pozzetti import pozzetto_to_take
from burraco_env.state import (
    DRAW_PHASE,
    NO_CARD,
    NOBODY,
    OVER_PHASE,
    PHASES,
    PLAY_PHASE,
    WILD_PHASE,
    Game,
)

_WORDS = re.compile(
    r"^(draw|pickup|pickup-top|wild \S+|discard \S+|meld \S+"
    r"|layoff \S+ to \S+( wild=\S+)?( at low| at high)?)$"
)

_SWITCHES = (
    ("pickup_top", 1),
    ("pickup_needs_meld", 0),
    ("ace_both_ends", 1),
    ("natural_two_needs_three", 0),
    ("wild_slides", 1),
    ("two_may_turn_wild", 1),
    ("one_set_per_rank", 0),
    ("set_ranks", 0b1111111111101),
)
"""Rules that forbid something, and the value that allows it."""


_PHASE_OF = {
    "draw": DRAW_PHASE,
    "pickup": DRAW_PHASE,
    "pickup-top": DRAW_PHASE,
    "wild": WILD_PHASE,
}
"""Phase of a decision by its first word; all others belong to the play phase."""


def explain(games: npt.NDArray[np.void], text: object) -> str:
    """A sentence that says why this decision is not legal.

    Args:
        games: one record, shape (1,), unchanged; the deal may be over.
        text: the decision.
    """
    game = games[0]
    if not isinstance(text, str):
        return f"a decision is a text such as 'draw', not {text!r}"
    if game["phase"] == OVER_PHASE:
        return "the deal is over"
    if not _WORDS.match(text):
        return "it is written like no decision; see notation.md"
    phase = int(game["phase"])
    wanted = _PHASE_OF.get(text.split()[0], PLAY_PHASE)
    if wanted != phase:
        pending = f" for {pending_text(game)!r}" if phase == WILD_PHASE else ""
        return f"it belongs to phase {PHASES[wanted]}, and this is phase {PHASES[phase]}{pending}"
    for name, value in _SWITCHES:
        trial = games.copy()
        trial["rules"][name] = value
        changed = all_texts(trial[0]).get(text)  # the rules decide too what can be written down
        if changed is not None and _is_legal(trial, changed):
            return f"the rule {name} forbids it (spec 4 and 5)"
    action = all_texts(game).get(text)
    if action is None:
        return f"it names a card, a meld or a place that does not fit: {_misfit(text)}"
    if action < WILD_CHOICE:
        return (
            "there is no card to draw (spec 4)"
            if text == "draw"
            else "the discard pile is empty (spec 4)"
        )
    if action < DISCARD:
        return f"the wild of {pending_text(game)!r} can be {_choices(games)} (spec 5 and 7)"
    if action < MELD_RUN:
        return _explain_discard(game, action - DISCARD)
    return _explain_play(games, action)


def _misfit(text: str) -> str:
    if text.startswith("layoff"):
        return (
            "a lay-off is a single card onto a meld of one's own side, written as it is now, "
            "as section 5 allows"
        )
    if text.startswith("meld"):
        return (
            "a new meld has exactly three cards in canonical order, a run or a set, "
            "with one * at most (spec 4 and 5)"
        )
    return "see notation.md"


def _is_legal(games: npt.NDArray[np.void], action: int) -> bool:
    ids = np.zeros(NUM_ACTIONS, dtype=np.int16)
    return action in ids[: legal(games[0], ids)]


def _choices(games: npt.NDArray[np.void]) -> str:
    ids = np.zeros(NUM_ACTIONS, dtype=np.int16)
    kinds = ids[: legal(games[0], ids)] - WILD_CHOICE + 1
    return " or ".join(CARD_TEXTS[KIND_CARDS[kind]] for kind in kinds)


def _explain_discard(game: Game, card: int) -> str:
    seat = int(game["seat"])
    side = int(game["side_of"][seat])
    name = CARD_TEXTS[card]
    if game["hands"][seat, card] == 0:
        return f"seat {seat} holds no {name}"
    if game["must_meld"]:
        return (
            "after the pick-up a meld or lay-off is owed before the discard "
            "(pickup_needs_meld, spec 4)"
        )
    if game["no_return"] == card:
        return (
            f"{name} was the whole pile, or its top card taken alone, "
            "and may not be returned in this turn (spec 4)"
        )
    if game["taken_by"][side] == NOBODY and not game["rules"]["close_if_none_left"]:
        return "it is the last card, the side has taken no pozzetto, and none can be taken (spec 7)"
    if not has_burraco_to_close(game, side):
        kind = "clean burraco" if game["rules"]["clean_to_close"] else "burraco"
        return f"it is the last card, and the side has no {kind} to close with (spec 7)"
    return f"the closing discard may be neither a joker nor a two, and {name} is one (spec 7)"


def _explain_play(games: npt.NDArray[np.void], action: int) -> str:
    """A meld or lay-off: too few cards left, or a card missing, or against section 5."""
    seat = int(games[0]["seat"])
    side = int(games[0]["side_of"][seat])
    trial = games.copy()
    trial["hand_sizes"][0, seat] += 2  # as if two more cards stayed in the hand
    if _is_legal(trial, action):
        left = int(games[0]["hand_sizes"][seat]) - (3 if action < LAYOFF_RUN else 1)
        if left == 0:
            return (
                "it would empty the hand and no pozzetto can be taken, "
                "but a turn ends with a discard (spec 7)"
            )
        wait = "be laid off or discarded" if pozzetto_to_take(games[0], side) else "close"
        return f"the card that would stay could not {wait}, so the seat would be stuck (spec 7)"
    trial["hands"][0, seat, :] = 2
    trial["hand_sizes"][0, seat] = 2 * NUM_CARDS
    trial["no_return"] = NO_CARD
    if _is_legal(trial, action):
        return f"seat {seat} does not hold the cards for it"
    return "the table rules do not allow it (spec 5)"
