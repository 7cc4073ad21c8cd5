"""Small games for exact values, and deals in which chance is drawn when it shows.

The cards that nobody has seen lie sorted in the stock, the pozzetti are blank. A card that is
drawn, or the pozzetto that is taken, is each of those that it may be, with its probability. That is
the same as going through all deals, which differ by what never shows too; there are many more of
them (`count_deals`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from math import comb
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from burraco_env import OBSERVATION_SIZE, Rules
from burraco_env._jit import int64, kernel, row_kernel
from burraco_env.actions import DRAW_STOCK
from burraco_env.cards import JOKER, NUM_RANKS, RANKS, SUITS
from burraco_env.engine import apply, deal_deck, legal
from burraco_env.observations import observe
from burraco_env.pozzetti import pozzetto_to_take
from burraco_env.scoring import NUM_POINT_PARTS, side_points
from burraco_env.state import GAME_DTYPE, MAX_SIDES, NOBODY, OVER_PHASE, RULES_DTYPE, new_games

GAMES: dict[str, Rules] = {
    "micro": Rules.preset(
        "mini",
        ranks="3456",
        suits="c",
        jokers=3,
        hand_size=2,
        pozzetto_sizes=[2, 2],
        burraco_size=4,
        dead_stock=0,
        max_turns=4,
    ),
}
"""Games that are small enough, by name. They are no presets.

`micro`: eleven cards of one suit, hands and pozzetti of two, a burraco of four. Two cards are left
for the stock, so a deal lasts two turns or, with pick-ups, up to four. Among `greedy` six sides of
ten take a pozzetto, and half of the deals are closed.
"""

STATE_WORDS = GAME_DTYPE.itemsize // 8
"""Length of a state as uint64."""
SEEN_WORDS = -(-OBSERVATION_SIZE // 8)
"""Length of an observation as uint64; the last of them is not full."""

_FIRST_WORD = RULES_DTYPE.itemsize // 8
"""The rules, before it, are the same in all states."""
_GAMMA, _MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
_SHIFT = np.uint64(31)
_MOST_SHOWN = 64
"""Room for the cards that a decision shows."""

Rows = npt.NDArray[np.int64]
Values = npt.NDArray[np.float64]
Words = npt.NDArray[np.uint64]


class Decisions(NamedTuple):
    """Decisions in states, one row each."""

    rows: Any
    """The state, int64[n]."""
    actions: Any
    """The decision, int64[n]."""
    weights: Any
    """Probability of state and decision, float64[n]."""
    slots: Any
    """Where the value of what follows belongs, int64[n]."""
    outcomes: Any
    """States that may follow, and hidden cards that it shows, int64[n, 2]."""


class Following(NamedTuple):
    """The states that follow, one row each."""

    words: Any
    """The states, uint64[n, STATE_WORDS]."""
    games: Any
    """The same memory, GAME_DTYPE[n]."""
    weights: Any
    """Their probabilities, float64[n]."""
    slots: Any
    """As in `Decisions`, int64[n]."""
    keys: Any
    """What stands for the viewer's observation and for the state, uint64[n, 2]."""
    leads: Any
    """Points of the viewer minus the other's if the deal is over, float64[n]."""

    @classmethod
    def blank(cls, words: Words) -> Following:
        """Rows of these states, everything else 0."""
        rows = len(words)
        return cls(
            words,
            words.view(GAME_DTYPE)[:, 0],
            np.zeros(rows),
            np.zeros(rows, dtype=np.int64),
            np.zeros((rows, 2), dtype=np.uint64),
            np.zeros(rows),
        )


def _copies(rules: Rules) -> dict[int, int]:
    """How often each card is in the deck."""
    deck = {
        suit * NUM_RANKS + rank: rules.copies
        for suit in range(len(SUITS))
        for rank in range(NUM_RANKS)
        if SUITS[suit] in rules.suits and RANKS[rank] in rules.ranks
    }
    return deck | ({JOKER: rules.jokers} if rules.jokers else {})


def count_deals(rules: Rules) -> int:
    """Different deals: the hands, the pozzetti in their order, the upcard, the order of the stock.

    Each of them stands for as many orders of the deck as its cards can be told apart in.
    """
    sizes = (*[rules.hand_size] * rules.seats, *rules.pozzetto_sizes)
    ways: Counter[tuple[int, ...]] = Counter({(*sizes, rules.num_cards - sum(sizes)): 1})
    for copies in _copies(rules).values():
        after: Counter[tuple[int, ...]] = Counter()
        for left, count in ways.items():
            for places in _spread(copies, left):
                rest = tuple(a - b for a, b in zip(left, places, strict=True))
                after[rest] += count * comb(left[-1], places[-1])  # the last ones have an order
        ways = after
    return ways[(0,) * (len(sizes) + 1)]


def _spread(count: int, room: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """All ways to lay `count` like cards in places with so much room."""
    if len(room) == 1:
        if count <= room[0]:
            yield (count,)
        return
    for here in range(min(count, room[0]) + 1):
        for rest in _spread(count - here, room[1:]):
            yield (here, *rest)


def _hands(deck: Counter[int], size: int) -> Iterator[tuple[Counter[int], int]]:
    """All hands of that size, and in how many ways each can be dealt."""
    cards = sorted(deck)
    room = tuple(deck[card] for card in cards)
    for counts in _spread(size, (*room, 0)):
        hand = Counter({card: n for card, n in zip(cards, counts, strict=False) if n})
        ways = 1
        for card, n in hand.items():
            ways *= comb(deck[card], n)
        yield hand, ways


def starts(rules: Rules, viewer: int) -> Following:
    """All starts of a deal, seat 0 to begin; all of them belong to slot 0."""
    decks, weights = [], []
    whole = Counter(_copies(rules))
    blank = [0] * sum(rules.pozzetto_sizes)
    for first, ways in _hands(whole, rules.hand_size):
        for second, more in _hands(whole - first, rules.hand_size):
            rest = whole - first - second
            for upcard, copies in rest.items():
                hidden = sorted((rest - Counter([upcard])).elements())
                dealt = chain(*zip(first.elements(), second.elements(), strict=True))
                decks.append([*dealt, *blank, upcard, *hidden])
                weights.append(ways * more * copies)
    games = new_games(rules, len(decks))
    after = Following.blank(games.view(np.uint64).reshape(len(decks), STATE_WORDS))
    after.weights[:] = np.array(weights) / sum(weights)
    seen = np.zeros(SEEN_WORDS, dtype=np.uint64)
    _deal_hidden(after, np.array(decks, dtype=np.int8), viewer,
                 (seen.view(np.int8)[:OBSERVATION_SIZE], seen))  # fmt: skip
    return after


@kernel
def _digest(words: Any, first: int) -> Any:
    """64 bits that stand for the words from `first` on, uint64."""
    state = _GAMMA
    for index in range(first, len(words)):
        if words[index] != 0:
            state = (state ^ (words[index] + np.uint64(index) * _GAMMA)) * _MIX
            state ^= state >> _SHIFT
    return state


@row_kernel
def _deal_hidden(after: Any, decks: Any, viewer: int, seen: Any) -> None:
    """Deal decks whose pozzetti are blank, with all hidden cards behind them."""
    for row in range(len(decks)):
        game, deck = after.games[row], decks[row]
        deal_deck(game, deck, 1)
        hidden = int64(game["stock_size"])
        for index in range(hidden):
            game["stock"][index] = deck[len(deck) - hidden + index]
        for index in range(game["rules"]["num_pozzetti"]):
            game["stock_size"] -= game["rules"]["pozzetto_sizes"][index]
        observe(game, viewer, seen[0])
        after.keys[row, 0] = _digest(seen[1], 0)
        after.keys[row, 1] = _digest(after.words[row], _FIRST_WORD)


@kernel
def _hidden(game: Any) -> int:
    """Cards that nobody has seen: they lie sorted in the stock, the pozzetti are blank."""
    hidden = int64(game["stock_size"])
    for index in range(game["first_pozzetto"], game["end_pozzetto"]):
        hidden += game["rules"]["pozzetto_sizes"][index]
    return hidden


@kernel
def _shown(game: Any, action: int, trial: Any) -> int:
    """Hidden cards that a decision shows: that drawn, or the pozzetto. `trial` is scratch."""
    if action == DRAW_STOCK:
        return 1
    side = game["side_of"][game["seat"]]
    if not pozzetto_to_take(game, side):
        return 0
    trial[0] = game
    apply(trial[0], action)
    taken = trial[0]["taken_by"][side] != NOBODY
    size: int = game["rules"]["pozzetto_sizes"][game["first_pozzetto"]] if taken else int64(0)
    return size


@kernel
def _next(chosen: Any, size: int, hidden: int) -> bool:
    """Go on to the next choice of `size` of the hidden cards; whether there is one."""
    index = size - 1
    while index >= 0 and chosen[index] == hidden - size + index:
        index -= 1
    if index < 0:
        return False
    chosen[index] += 1
    for other in range(index + 1, size):
        chosen[other] = chosen[other - 1] + 1
    return True


@kernel
def _ways(game: Any, chosen: Any, size: int, hidden: int) -> float:
    """In how many ways those cards can be chosen; 0 if others of the same kind stand for them."""
    ways = 1.0
    stock = game["stock"]
    for index in range(size):
        at = chosen[index]
        first, last = at, at
        while first > 0 and stock[first - 1] == stock[at]:
            first -= 1
        while last + 1 < hidden and stock[last + 1] == stock[at]:
            last += 1
        before = at - first  # so many of the kind are chosen already
        if before > 0 and (index < before or chosen[index - before] != first):
            return 0.0
        ways *= (last - first + 1 - before) / (before + 1)
    return ways


@row_kernel
def count_outcomes(games: Any, rows: Any, actions: Any, trial: Any, out: Any) -> None:
    """Write how many states may follow each decision, and how many hidden cards it shows."""
    chosen = np.zeros(_MOST_SHOWN, np.int64)
    for pair in range(len(rows)):
        game = games[rows[pair]]
        size, hidden = _shown(game, actions[pair], trial), _hidden(game)
        count, more = 0, True
        for index in range(size):
            chosen[index] = index
        while more:
            count += 1 if _ways(game, chosen, size, hidden) > 0 else 0
            more = _next(chosen, size, hidden)
        out[pair, 0], out[pair, 1] = count, size


@kernel
def _show(game: Any, action: int, chosen: Any, size: int, hidden: int) -> None:
    """Carry out a decision that shows the chosen ones of the hidden cards."""
    stock = game["stock"]
    kept = stock.copy()
    taken = game["first_pozzetto"]
    if action == DRAW_STOCK:
        stock[game["stock_size"] - 1] = kept[chosen[0]]
    else:
        for index in range(size):
            game["pozzetti"][taken, index] = kept[chosen[index]]
    apply(game, action)
    if size == 0:
        return
    if action != DRAW_STOCK:
        game["pozzetti"][taken, :] = 0
    index = count = 0
    for at in range(hidden):
        if index < size and chosen[index] == at:
            index += 1
        else:
            stock[count] = kept[at]
            count += 1
    stock[count:hidden] = 0


@kernel
def _forget(game: Any, seat: int) -> None:
    """Forget what has no bearing on what follows, so that more states are the same.

    The order of the pile below its top card; and what only the responder sees of the other seat:
    its cards known and its discards. The nodes have been told apart by them.
    """
    game["discards"][seat, :] = 0
    game["known"][seat, :] = 0
    pile, size = game["pile"], game["pile_size"]
    pile[size:] = 0
    if game["rules"]["pickup_top"]:
        return
    for end in range(size - 2, 0, -1):
        for index in range(end):
            if pile[index] > pile[index + 1]:
                kept = pile[index]
                pile[index] = pile[index + 1]
                pile[index + 1] = kept


@row_kernel
def carry_out(
    games: Any, words: Any, play: Any, viewer: int, forget: bool, seen: Any, after: Any
) -> None:
    """Carry out decisions and write all that may follow.

    `seen` is scratch, an observation as int8 and as words. `forget`: the viewer is a responder.
    """
    chosen = np.zeros(_MOST_SHOWN, np.int64)
    parts = np.zeros((MAX_SIDES, NUM_POINT_PARTS), np.int64)
    at = 0
    for pair in range(len(play.rows)):
        row, action, size = play.rows[pair], play.actions[pair], play.outcomes[pair, 1]
        hidden = _hidden(games[row])
        for index in range(size):
            chosen[index] = index
        more, total, first = True, 0.0, at
        while more:
            ways = _ways(games[row], chosen, size, hidden)
            if ways > 0:
                after.words[at] = words[row]
                game = after.games[at]
                _show(game, action, chosen, size, hidden)
                after.weights[at] = play.weights[pair] * ways
                after.slots[at] = play.slots[pair]
                total += ways
                if game["phase"] == OVER_PHASE:
                    side_points(game, parts)
                    mine = game["side_of"][viewer]
                    after.leads[at] = parts[mine].sum() - parts[1 - mine].sum()
                else:
                    observe(game, viewer, seen[0])
                    after.keys[at, 0] = _digest(seen[1], 0)
                    if forget:
                        _forget(game, 1 - viewer)
                    after.keys[at, 1] = _digest(after.words[at], _FIRST_WORD)
                at += 1
            more = _next(chosen, size, hidden)
        for index in range(first, at):
            after.weights[index] /= total


@row_kernel
def legal_rows(games: Any, ids: Any, counts: Any) -> None:
    """Write the legal actions of each state, and how many they are."""
    for row in range(len(games)):
        counts[row] = legal(games[row], ids[row])


@row_kernel
def same_choice(ids: Any, counts: Any, rows: Any, groups: Any) -> bool:
    """Whether all these states of a group have the same legal actions; `rows` go by group."""
    first = rows[0]
    for row in rows:
        if groups[row] != groups[first]:
            first = row
        if counts[row] != counts[first]:
            return False
        for index in range(counts[row]):
            if ids[row, index] != ids[first, index]:
                return False
    return True


@row_kernel
def look_rows(games: Any, rows: Any, seen: Any, seen_words: Any, keys: Any) -> None:
    """Write the observations of the seats to act in `rows`, and what stands for them."""
    for index in range(len(rows)):
        game = games[rows[index]]
        observe(game, game["seat"], seen[index, :OBSERVATION_SIZE])
        keys[index] = _digest(seen_words[index], 0)
