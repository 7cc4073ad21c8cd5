"""The numbers that `expert` judges by, in points of a deal; `agents.tuning` finds their values.

Each is one entry of a float64 array, the same for all rules, with a row for two and a row for more
seats. The index of a parameter is an attribute of this module: `p[parameters.TWIN]`.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import numpy.typing as npt

from agents.files import write_whole
from burraco_env._jit import int64

PARAMETERS: tuple[tuple[str, float, str], ...] = (
    # What a meld that is no burraco yet is worth, by the cards it lacks to one.
    ("run_clean_1", 90, "run without a wild that lacks one card"),
    ("run_clean_2", 50, "two cards"),
    ("run_clean_3", 30, "three cards"),
    ("run_clean_4", 15, "four cards or more"),
    ("run_dirty_1", 55, "run with a wild that lacks one card"),
    ("run_dirty_2", 32, "two cards"),
    ("run_dirty_3", 20, "three cards"),
    ("run_dirty_4", 10, "four cards or more"),
    ("set_clean_1", 75, "set without a wild that lacks one card"),
    ("set_clean_2", 40, "two cards"),
    ("set_clean_3", 22, "three cards"),
    ("set_clean_4", 10, "four cards or more"),
    ("set_dirty_1", 50, "set with a wild that lacks one card"),
    ("set_dirty_2", 28, "two cards"),
    ("set_dirty_3", 16, "three cards"),
    ("set_dirty_4", 6, "four cards or more"),
    ("dead", 0.4, "factor of these where too few cards are left to complete the meld"),
    ("first_burraco", 30, "a burraco with which the side may close, where it has none yet"),
    # What a card is worth in the hand.
    ("twin", 8, "another card of its rank"),
    ("twin_outs", 6, "times the part of the other cards of the rank that may still come"),
    ("triplet", 6, "two more cards of its rank, beyond that"),
    ("double", -2, "the other copy of the same card"),
    ("neighbour", 6, "a neighbour in its suit"),
    ("neighbour_outs", 6, "times the part of the cards beside both that may still come"),
    ("gap", 3, "a card two places away"),
    ("gap_outs", 4, "times the part of the cards between that may still come"),
    ("near_meld", 4, "a meld of mine lacks one card between"),
    ("set_closed", 0.3, "factor of twins where my side may not start another set of the rank"),
    ("fit", 4, "it fits a meld of mine"),
    ("fit_gain", 0.4, "times what it would add to that meld"),
    ("keep_late", 0.5, "less of all that when the deal is about to end, as a part"),
    # Wilds.
    ("joker", 38, "what spending a joker costs"),
    ("two", 34, "what spending a two costs, as a natural as well"),
    ("wild_more", 0.15, "less of that for each further wild of the hand, as a part"),
    ("wild_late", 0.8, "less of that when the deal is about to end, as a part"),
    ("wild_out", 0.6, "less of that where the hand can be emptied now, as a part"),
    ("wild_taken", 0.2, "less of that once my side has a pozzetto, as a part"),
    ("wild_threat", 0.2, "less of that when another seat may soon empty its hand, as a part"),
    ("wild_theirs", 0.1, "less of that once the others have a pozzetto, as a part"),
    ("wild_early", 0.1, "more of that early in the deal, as a part"),
    ("joker_first", -1.5, "what choosing a joker is worth where a two would do"),
    # Playing.
    ("play", 4, "a play, for each card"),
    ("play_points", 0.5, "times the points of the cards"),
    ("play_late", 1.5, "times these points when the deal is about to end"),
    ("play_waits", 3, "a card less while a pozzetto waits"),
    ("play_close", 2, "a card less once my side may close"),
    ("play_threat", 5, "a card less when another seat may soon empty its hand"),
    ("play_early", -3, "a card less early in the deal"),
    ("play_out", 30, "a card less where the hand can be emptied now and a pozzetto waits"),
    ("play_closing", 30, "a card less where the hand can be emptied now and closing is wanted"),
    ("play_discard", 0.7, "times what the best discard of the rest costs more than the best one"),
    ("play_large", 0, "a card, for each card of the hand above seven"),
    ("play_follow", 4, "a further card of the hand that fits the new meld"),
    ("new_set", 0, "a new set"),
    ("new_run", 0, "a new run"),
    ("hold", 60, "going down to one card where closing is not wanted, as a cost"),
    # Whether closing is wanted: the sum must not be negative.
    ("close", 60, "closing"),
    ("close_theirs", 6, "a card in the hands of the others"),
    ("close_partner", -5, "a card in the hand of my partner"),
    ("close_their_melds", 0.3, "times what unfinished melds of the others are worth"),
    ("close_my_melds", -0.3, "times what unfinished melds of mine are worth"),
    ("close_untaken", 60, "the others have no pozzetto"),
    ("close_late", 60, "the deal is about to end"),
    # When the deal is about to end: from 0 to 1.
    ("late_turns", 3.0, "it begins when each seat has so many turns left"),
    ("late_hand", 4.0, "or when another side may close and a seat of it holds so few cards"),
    ("late_threat", 0.7, "how much the second counts"),
    # Discarding.
    ("discard_points", 0.3, "times the points of the card: these go first"),
    ("discard_late", 1.0, "times these points when the deal is about to end"),
    ("discard_wild", 60, "keeping a wild"),
    ("danger", 0.5, "times what the card adds to a meld of the others"),
    ("danger_fit", 8, "it fits a meld of the others"),
    ("danger_near", 2, "a meld of the others lacks one card between"),
    ("danger_pile", 0.05, "more of these for each card of the pile, as a part"),
    ("danger_threat", 1.0, "more of these where the next seat may soon empty its hand, as a part"),
    ("danger_hand", 5.0, "which is when it holds so few cards"),
    ("danger_known", 0.8, "times what it is worth beside the cards the next seat is known to hold"),
    ("danger_previous", 0.3, "the same for the previous seat"),
    ("danger_beside_pile", 0.3, "times what it is worth beside the cards of the pile"),
    ("danger_unseen", 1.0, "a card of its rank or beside it that may still come"),
    ("danger_discarded", -2, "a card of its rank or beside it that the next seat has discarded"),
    # Picking up: the sum must be positive.
    ("pick_up", -20, "picking up the pile"),
    ("pick_up_top", -12, "picking up the top card alone"),
    ("pick_card", 2, "a card"),
    ("pick_late", -8, "a card when the deal is about to end"),
    ("pick_waits", 0, "a card while a pozzetto waits"),
    ("pick_closing", -3, "a card once my side may close"),
    ("pick_fit", 8, "a card that fits a meld of mine"),
    ("pick_gain", 0.7, "times what it would add"),
    ("pick_joker", 38, "a joker"),
    ("pick_two", 34, "a two"),
    ("pick_worth", 0.8, "times what a card is worth beside the hand and the pile"),
    ("pick_meld", 20, "a new meld without a wild that it makes"),
    ("pick_hand", 1, "a card of the hand, with whatever pile"),
    ("pick_threat", -5, "the pile when another seat may soon empty its hand"),
    ("pick_left", -3, "a card more that could not be played at once"),
    ("pick_out", 20, "the hand could then be emptied, and a pozzetto waits or closing is wanted"),
    ("pick_deny", 0.3, "times what a card adds to a meld of the others"),
    ("pick_deny_fit", 3, "a card that fits a meld of the others"),
    ("pick_deny_known", 0.3, "times what a card is worth beside the cards known of the next seat"),
    ("pick_points_late", -1.0, "times the points of a card without a use, about to end"),
)  # fmt: skip
"""Name, value from which the tuning began, meaning."""

NUM_PARAMETERS = len(PARAMETERS)
_INDEX = {name.upper(): int64(index) for index, (name, _, _) in enumerate(PARAMETERS)}


def __getattr__(name: str) -> int:
    """The index of a parameter, by its name in capitals: `parameters.TWIN`."""
    try:
        return _INDEX[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None


UNTUNED: npt.NDArray[np.float64] = np.array([value for _, value, _ in PARAMETERS], dtype=np.float64)
"""The values by hand, float64[NUM_PARAMETERS]."""


TUNED_FILE = Path(__file__).with_name("expert.json")
TABLES = ("two seats", "more seats")
"""Rows of the tuned values."""


def tuned() -> npt.NDArray[np.float64]:
    """The values that `expert` plays with, float64[2, NUM_PARAMETERS], a row for each of TABLES.

    A parameter that has not been tuned has the value from which tuning begins.
    """
    found = json.loads(TUNED_FILE.read_text(encoding="utf-8"))
    rows = [[found[table].get(name, value) for name, value, _ in PARAMETERS] for table in TABLES]
    return np.array(rows, dtype=np.float64)


def write_tuned(values: npt.NDArray[np.float64]) -> None:
    """Write the values that `expert` plays with, float64[2, NUM_PARAMETERS]."""
    names = [name for name, _, _ in PARAMETERS]
    found = {
        table: {name: float(f"{value:.5g}") for name, value in zip(names, row, strict=True)}
        for table, row in zip(TABLES, values, strict=True)
    }
    write_whole(TUNED_FILE, json.dumps(found, indent=1) + "\n")
