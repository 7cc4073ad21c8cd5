"""Golden playthroughs: a deal of each preset and seat count, played by a script, as a text to read.

    python -m tests.make_golden

writes `tests/golden/*.txt`. A text may change only together with the environment version: a file
that was written with this version and would differ now is left alone, and the command fails.
"""

from __future__ import annotations

import random
import re
import sys
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from burraco_env import ENV_VERSION, Game, Rules
from burraco_env.rules import seat_counts

FOLDER = Path(__file__).parent / "golden"

COMBINATIONS = [
    (preset, seats) for preset in Rules.PRESET_NAMES for seats in sorted(seat_counts(preset))
]
SEEDS: dict[tuple[str, int], int] = {
    ("italian", 2): 53,
    ("italian", 3): 142,
    ("italian", 4): 22,
    ("rummyroyal", 2): 60,
    ("pairs-app", 4): 139,
    ("clean-3000", 2): 74,
    ("clean-3000", 4): 115,
    ("coppie-2000", 2): 57,
    ("coppie-2000", 3): 66,
    ("coppie-2000", 4): 114,
    ("fitab", 2): 113,
    ("fitab", 4): 38,
    ("international", 2): 108,
    ("international", 4): 65,
    ("reale", 2): 4,
    ("reale", 4): 94,
    ("app-2005", 2): 78,
    ("app-2005", 4): 82,
    ("mini", 2): 49,
}
"""Seed of the deal and of the script: deals in which much happens."""

# ------------------------------------------------------------------------------------- the script

PLACES = "A23456789TJQKA"
WILDS = ("Jo", "2c", "2d", "2h", "2s")


def scripted_decision(game: Game, rng: random.Random) -> str:
    """The decision of the script: sensible, from what its seat may know; chance breaks ties."""
    decisions = game.legal()
    if len(decisions) == 1:
        return decisions[0]
    if game.phase == "wild":  # the joker last
        return max(decisions, key=lambda text: (text != "wild Jo", rng.random()))
    if game.phase == "draw":
        return _scripted_draw(game, decisions)
    table = Table(game)
    plays = [text for text in decisions if not text.startswith("discard")]
    discards = [text for text in decisions if text.startswith("discard")]
    if plays:
        worth, _, play = max((table.worth(text), rng.random(), text) for text in plays)
        if worth > 0 or not discards:
            return play
    return min(discards, key=lambda text: (table.keep(text[-2:]), rng.random()))


def _scripted_draw(game: Game, decisions: list[str]) -> str:
    """The pile if a third of it can be played at once, its top card if that can, else the stock."""
    pile = game.position()["discard_pile"].split()
    for text, cards, share in (("pickup", pile, 3), ("pickup-top", pile[-1:], 1)):
        if text in decisions:
            after = game.copy()
            after.play(text)
            table = Table(after)
            plays = [play for play in after.legal() if not play.startswith("discard")]
            used = " ".join(natural_cards(play) for play in plays if table.worth(play) > 0)
            if share * sum(card in used for card in cards) >= len(cards):
                return text
    return "draw" if "draw" in decisions else decisions[0]


class Table:
    """What the seat to act sees, and what the script thinks of a play or of a card."""

    def __init__(self, game: Game) -> None:
        position = game.position()
        self.rules = game.rules
        self.hand: list[str] = position["hands"][game.seat].split()
        self.melds = melds_of(position, game.seat)
        self.others = [
            text for side in position["melds"] for text in side if text not in self.melds
        ]
        self.wants_clean = self.rules.burraco_to_close == "clean" and not any(
            size(text) >= self.rules.burraco_size and is_clean(text) for text in self.melds
        )

    def worth(self, play: str) -> int:
        """How good a meld or lay-off is; 0: better not."""
        near = len(self.hand) <= 5  # a pozzetto, or the closing
        verb, card = play.split()[:2]
        if verb == "meld":
            if "*" not in card:
                return 7 if is_set(card) else 9
            return 3 if near or (is_set(card) and len(self.hand) > 11) else 0
        target = play.split()[3]
        if "*" not in card:
            return 8 + size(target) + (0 if "wild=" in play else 2)
        if self.wants_clean and not is_set(target):
            return 0
        return 2 + size(target) if near or size(target) >= 5 else 0

    def keep(self, card: str) -> int:
        """How much the script would like to keep a card; the least goes to the discard pile."""
        if card in WILDS:
            return 50
        value = 3 * sum(fits(card, meld) for meld in self.others)
        for meld in self.melds:
            if fits(card, meld):
                value += 6
            elif not is_set(meld) and distance(card, meld) == 2:
                value += 2
        hand = [other for other in self.hand if other != "Jo"]
        hand.remove(card)
        for other in hand:
            if other[1] == card[1] and other[0] != card[0]:
                gap = min(abs(a - b) for a in places(card) for b in places(other))
                value += max(0, 6 - 2 * gap)
            if other[0] == card[0] and card[0] in self.rules.set_ranks:
                value += 3
        return value


def natural_cards(play: str) -> str:
    """The part of a meld or lay-off that names the naturals from the hand."""
    return re.sub(r"\*\(..\)", "*", play.split()[1])


def places(card: str) -> list[int]:
    """Places of a run that a card fills."""
    return [place for place, rank in enumerate(PLACES, start=1) if rank == card[0]]


def cards_of(meld: str) -> list[str]:
    """The cards of a meld; in a run what a wild stands for in its stead."""
    return re.sub(r"[^-]+\((..)\)", r"\1", meld).split("-")


def size(meld: str) -> int:
    """Number of cards of a meld."""
    return len(cards_of(meld))


def is_set(meld: str) -> bool:
    """Whether a meld is a set."""
    first, second = cards_of(meld)[:2]
    return first[0] == second[0]


def is_clean(meld: str) -> bool:
    """Whether a meld has no wild."""
    return "(" not in meld and not (is_set(meld) and cards_of(meld)[-1] in WILDS)


def distance(card: str, run: str) -> int:
    """How far outside a run a card lies; 0: inside, or of another suit."""
    cards = cards_of(run)
    if card[1] != cards[0][1]:
        return 0
    lo = places(cards[0])[0]
    hi = lo + len(cards) - 1
    return min(max(lo - place, place - hi, 0) for place in places(card))


def fits(card: str, meld: str) -> bool:
    """Whether a natural can be laid off on a meld, roughly."""
    return card[0] == meld[0] if is_set(meld) else distance(card, meld) == 1


# --------------------------------------------------------------------------------------- the text

HEADER = """\
A deal of Burraco, played by a script. Written by `make golden`, not to be edited.

preset {preset}
seats {seats}
environment version {version}
seed {seed}
dealer {dealer}
deck
{deck}

A turn begins with the hand of its seat. In front of each decision stands how many decisions were
legal, and a checksum of their list. Behind the turn stand the melds of the side, if they changed.
"""


def playthrough(preset: str, seats: int) -> str:
    """The text of the deal that the script plays with a preset and a seat count."""
    seed = SEEDS[preset, seats]
    game = Game.deal(Rules.preset(preset, seats), seed)
    start = game.copy()
    for decision in scripted_decisions(game, seed):
        game.play(decision)
    return "\n".join(lines(start, seed, game.decisions)) + "\n"


def scripted_decisions(game: Game, seed: int) -> Iterator[str]:
    """The decisions of the script to the end of the deal; the caller plays each of them."""
    rng = random.Random(seed)
    while not game.is_over:
        yield scripted_decision(game, rng)


def again(text: str) -> str:
    """The text of a playthrough written anew: its seed dealt, its decisions played.

    Raises:
        ValueError: not the text of a playthrough, or one of its decisions is not legal.
    """
    header = re.search(r"^preset (\S+)\nseats (\d+)\n.+\nseed (\d+)$", text, re.MULTILINE)
    if header is None:
        raise ValueError("the header is not that of a playthrough")
    preset, seats, seed = header[1], int(header[2]), int(header[3])
    start = Game.deal(Rules.preset(preset, seats), seed)
    decisions = re.findall(r"^ *\d+ [0-9a-f]{6}  (.+)$", text, re.MULTILINE)
    return "\n".join(lines(start, seed, decisions)) + "\n"


def lines(game: Game, seed: int, decisions: Sequence[str]) -> Iterator[str]:
    """The lines of a playthrough: of a game just dealt, and the decisions to play in it."""
    game = game.copy()
    deck = str(game.deck).split()
    yield HEADER.format(
        preset=game.rules.preset_name,
        seats=game.rules.seats,
        version=ENV_VERSION,
        seed=seed,
        dealer=game.dealer,
        deck="\n".join("  " + " ".join(deck[i : i + 26]) for i in range(0, len(deck), 26)),
    )
    ids = seen = 0  # checksums
    before = game.position()
    melds: list[str] = []
    for decision in decisions:
        if before["phase"] == "draw":
            melds = melds_of(before, game.seat)
            yield from _turn_lines(before)
        legal = game.legal()
        ids = zlib.crc32(game.legal_ids().tobytes(), ids)
        for seat in range(game.rules.seats):
            seen = zlib.crc32(game.observation(seat).tobytes(), seen)
        yield f"{len(legal):3} {zlib.crc32(' '.join(sorted(legal)).encode()) >> 8:06x}  {decision}"
        game.play(decision)
        after = game.position()
        yield from (f"{'':14}{event}" for event in _events(before, after, decision))
        if after["turn"] > before["turn"]:
            yield from _table_lines(after, before["seat"], melds)
        before = after
    yield from _end_lines(game)
    yield f"checksums: ids of the legal decisions {ids:08x}, observations of all seats {seen:08x}"


def melds_of(position: dict[str, Any], seat: int) -> list[str]:
    """The melds of a seat's side."""
    own = next(i for i, side in enumerate(position["sides"]) if seat in side)
    return list(position["melds"][own])


def _turn_lines(position: dict[str, Any]) -> Iterator[str]:
    seat = position["seat"]
    partners = [
        str(other) for side in position["sides"] if seat in side for other in side if other != seat
    ]
    with_partners = f", with {' '.join(partners)}" if partners else ""
    yield f"turn {position['turn'] + 1}, seat {seat}{with_partners}"
    yield f"  hand        {position['hands'][seat]}"


def _events(before: dict[str, Any], after: dict[str, Any], decision: str) -> Iterator[str]:
    """What a decision brings, beside what its text says."""
    if decision == "draw":
        if not before["stock"]:
            yield "the stock is empty: a pozzetto becomes the stock"
        yield f"+ {(before['stock'] or before['pozzetti'][-1])[:2]}"
    elif decision == "pickup":
        yield f"+ {before['discard_pile']}"
    elif decision == "pickup-top":
        yield f"+ {before['discard_pile'][-2:]}"
    if set(after["pozzetto_taken_by"]) - set(before["pozzetto_taken_by"]):
        how = "by discard" if decision.startswith("discard") else "in flight"
        yield f"pozzetto {how}: {after['hands'][before['seat']]}"
    if len(after["sides"]) < len(before["sides"]):
        yield f"seat {before['seat']} is the soloist"


def _table_lines(position: dict[str, Any], seat: int, melds_before: list[str]) -> Iterator[str]:
    melds = melds_of(position, seat)
    if melds != melds_before:
        yield f"  melds       {'  '.join(melds)}"
    hands = " ".join(str(len(hand.split())) for hand in position["hands"])
    pile, stock = (len(position[name].split()) for name in ("discard_pile", "stock"))
    left = len(position["pozzetti"])
    yield f"  cards       hands {hands}, pile {pile}, stock {stock}, pozzetti {left}"
    yield ""


def _end_lines(game: Game) -> Iterator[str]:
    position = game.position()
    by = f" by seat {position['closed_by']}" if position["closed_by"] is not None else ""
    yield f"{game.outcome or 'not over'}{by} after {game.turn} turns"
    if not game.is_over:
        return
    for seat, hand in enumerate(position["hands"]):
        yield f"  seat {seat}: {hand or 'no cards'}"
    for side, melds in zip(game.sides, position["melds"], strict=True):
        yield f"  side {' '.join(map(str, side))}: {'  '.join(melds) or 'no melds'}"
    yield ""
    points = game.points()
    yield "points   " + "".join(f"{part:>10}" for part in points[0])
    for side, parts in zip(game.sides, points, strict=True):
        yield f"side {' '.join(map(str, side)):4}" + "".join(
            f"{value:10}" for value in parts.values()
        )
    yield ""


# -------------------------------------------------------------------------------------- the files


def file_name(preset: str, seats: int) -> str:
    """Name of the file of a preset and a seat count."""
    return f"{preset}-{seats}.txt"


class GoldenError(Exception):
    """A golden text would change, but the environment version did not rise."""


def write(path: Path, text: str) -> bool:
    """Write a playthrough; False if the file holds it already.

    Raises:
        GoldenError: the file holds another text, not written with an older environment version.
    """
    if path.exists():
        old = path.read_text(encoding="utf-8")
        if old == text:
            return False
        match = re.search(r"^environment version (\d+)$", old, re.MULTILINE)
        version = match[1] if match else None
        if version is None or int(version) >= ENV_VERSION:
            raise GoldenError(
                f"{path.name} would change, but it was written with environment version {version} "
                f"and ENV_VERSION is {ENV_VERSION}: raise it in burraco_env/version.py and say why "
                "in CHANGELOG.md, or undo the change"
            )
    path.write_text(text, encoding="utf-8")
    return True


def main(folder: Path = FOLDER) -> int:
    """Write all playthroughs; returns the exit status, 1 if a file may not change."""
    folder.mkdir(exist_ok=True)
    status = 0
    for preset, seats in COMBINATIONS:
        path = folder / file_name(preset, seats)
        try:
            changed = write(path, playthrough(preset, seats))
            print(f"{path.name}: {'written' if changed else 'unchanged'}")
        except GoldenError as error:
            print(f"error: {error}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
