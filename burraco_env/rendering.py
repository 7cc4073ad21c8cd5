"""The table as text, for people: all cards open, or as one seat sees it."""

from __future__ import annotations

from typing import Any

from burraco_env.game import Game
from burraco_env.observations import RELATIVE_SEATS, describe, seat_at
from burraco_env.scoring import points_table


def table_text(game: Game, seat: int | None = None) -> str:
    """The position as lines of ASCII text, without a line break at the end.

    Args:
        game: the game.
        seat: whose view: its hand open, of the other hands the cards known to be there, the
            pozzetti face down. None: a spectator's, who sees all cards but the order of the stock.

    Raises:
        ValueError: no such seat.
    """
    if seat is not None:
        seat = game.rules.check_seat(seat, "seat")
    position = game.position()
    lines = [*_head(game, position), ""]
    for side, members in enumerate(position["sides"]):
        lines += _side(game, position, side, members)
    hands = position["hands"] if seat is None else _seen_hands(game, seat)
    lines += ["", *_hands(game, position, hands)]
    return "\n".join([*lines, "", *_table(position, seat is None)])


def _head(game: Game, position: dict[str, Any]) -> list[str]:
    rules = game.rules
    what = f"{rules.preset_name}, {rules.seats} seats"
    when = f"turn {position['turn']}, dealer {_name(position['dealer'])}"
    if position["phase"] != "over":
        return [f"{what} - {when} - {_name(position['seat'])} to act: {position['phase']}"]
    closed = position["closed_by"]
    by = f" by {_name(closed)}" if closed is not None else ""
    return [f"{what} - {when} - over: {position['outcome']}{by}"]


def _side(game: Game, position: dict[str, Any], side: int, members: list[int]) -> list[str]:
    points = points_table(game.state[0])[side]
    taker = position["pozzetto_taken_by"][side]
    took = "no pozzetto" if taker is None else f"pozzetto taken by {_name(taker)}"
    if taker is not None and position["pozzetto_unplayed"][side]:
        took += ", unplayed"
    score = f"melds {points['melds']}, bonuses {points['bonuses']}"
    if game.is_over:
        score += (
            f", closing {points['closing']}, hand {points['hand']}, "
            f"pozzetto {points['pozzetto']}, total {points['total']}"
        )
    lines = [f"{' + '.join(map(_name, members))}: {took}; {score}"]
    return lines + [f"    {text}" for text in position["melds"][side] or ["(no melds)"]]


def _seen_hands(game: Game, seat: int) -> list[str]:
    """The hands as `seat` sees them, from its observation, so that nothing else can show."""
    told, seats = describe(game.observation(seat)), game.rules.seats
    hands = [""] * seats
    for relative, word in enumerate(RELATIVE_SEATS):
        other = int(seat_at(seats, seat, relative))
        if other == seat:
            hands[other] = told["hand"]
        elif other >= 0:
            known = told["known"][word]
            hidden = told["hand_sizes"][word] - len(known.split())
            hands[other] = f"{known} + {hidden} hidden" if known else f"{hidden} hidden"
    return hands


def _hands(game: Game, position: dict[str, Any], hands: list[str]) -> list[str]:
    lines = []
    for seat, hand in enumerate(hands):
        size = len(position["hands"][seat].split())
        mark = ">" if seat == position["seat"] and not game.is_over else " "
        lines.append(f"{mark} {_name(seat)} ({size:2}): {hand}".rstrip())
    return lines


def _table(position: dict[str, Any], all_open: bool) -> list[str]:
    pile = position["discard_pile"].split()
    lines = [
        f"stock: {len(position['stock'].split())} cards",
        f"discard pile ({len(pile)}, top card last): {' '.join(pile) or 'empty'}",
    ]
    for pozzetto in position["pozzetti"]:
        cards = pozzetto.split()
        lines.append(f"pozzetto ({len(cards)}): {' '.join(cards) if all_open else 'face down'}")
    if position["no_return"] is not None:
        lines.append(f"may not be discarded in this turn: {position['no_return']}")
    if position["must_meld"]:
        lines.append("a meld or lay-off is owed in this turn")
    if position["pending"] is not None:
        lines.append(f"choosing the wild of: {position['pending']}")
    return lines


def _name(seat: int) -> str:
    return f"player_{seat}"
