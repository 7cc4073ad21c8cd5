"""Two sides on duplicate deals: the same deck for every assignment of the agents to the seats.

A side is one agent, or two partners with a seat each. Agents draw from generators that belong to
the deal and the seat. So the games of an agent against itself are the same in every seating and its
differences cancel exactly, and swapping two agents negates them. Nothing depends on how many deals
are played at once or on the number of threads.

A slow agent may have an attribute `deals_at_once: int`, on the class or the object: no more deals
than that are played at once where it takes part, so that results come, and an interrupt is heard,
before hundreds of deals are through. The results do not depend on it either.
"""

from __future__ import annotations

import contextlib
import itertools
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from burraco_env._jit import int64, row_kernel
from burraco_env.actions import DISCARD, MELD_RUN, NUM_ACTIONS, action_text
from burraco_env.agent import Agent, RandomAgent
from burraco_env.batch import look
from burraco_env.cards import NUM_RANKS, NUM_SUITS
from burraco_env.engine import apply, deal
from burraco_env.game import Game
from burraco_env.generator import check_seed, generator_states, split
from burraco_env.melds import CLEAN, NO_MELD, run_burraco, set_burraco
from burraco_env.observations import OBSERVATION_SIZE
from burraco_env.rules import MAX_SEATS, Rules
from burraco_env.scoring import NUM_POINT_PARTS, seat_points
from burraco_env.state import CLOSED, DRAW_PHASE, MAX_SIDES, OVER_PHASE, new_games

BEHAVIOUR = (
    "closings", "pozzetti_in_flight", "pozzetti_by_discard", "burrachi_clean",
    "burrachi_semi_clean", "burrachi_dirty", "pickups", "cards_picked_up", "cards_left", "turns",
    "decisions",
)  # fmt: skip
"""What is counted for each seat.

Three seats: of a pair's burrachi each of its two seats has half. The others are whole numbers:
pick-ups are those of the pile and of its top card, cards left those in the hand at the end.
"""
(
    _CLOSINGS, _IN_FLIGHT, _BY_DISCARD, _CLEAN, _SEMI_CLEAN, _DIRTY, _PICKUPS, _PICKED_UP, _LEFT,
    _TURNS, _DECISIONS,
) = range(len(BEHAVIOUR))  # fmt: skip

_NOBODY = -1
_TABLE_DTYPE = np.dtype(
    [
        ("players", np.int64, (MAX_SEATS,)),  # which entrant has each seat
        ("to_act", np.int64),  # which entrant is to act; _NOBODY: the game is over or given up
        ("generators", np.uint64, (MAX_SEATS,)),  # from which the agent in each seat draws
        ("counts", np.float64, (MAX_SEATS, len(BEHAVIOUR))),
    ],
    align=True,
)
"""What the arena keeps of a game beside the game's own record."""


@dataclass(frozen=True)
class Entrant:
    """An agent and the name under which it appears in results."""

    name: str
    agent: Agent


Team = Entrant | tuple[Entrant, Entrant]
"""What meets: an agent that holds all seats of its side, or two partners (four seats)."""


@dataclass(frozen=True)
class Fault:
    """An agent that answered no legal action, or raised.

    Attributes:
        agent: its name.
        deal: number of the deal, from 0.
        decision: number of the decision in that game, from 1.
        what: seat and what it did.
    """

    agent: str
    deal: int
    decision: int
    what: str

    def __str__(self) -> str:
        return f"agent {self.agent}, deal {self.deal}, decision {self.decision}: {self.what}"


@dataclass(frozen=True)
class Results:
    """What came of some deals between two teams, in order of the deals.

    Attributes:
        differences: points of the first team minus points of the second, float64[deals, seatings].
            Of a team with two seats of different points (three seats): their mean.
        behaviour: mean counts of each entrant over the seatings, float64[deals, entrants,
            len(BEHAVIOUR)]; the first team's entrants come first.
        decisions: decisions of all entrants in all seatings, int64[deals].
        seconds: how long each entrant thought, float64[entrants]; threads add up. Where there is a
            fault, that in the deals left out too.
        fault: why the deals end here, if an agent failed in the next one.
        actions: the ids played in each game, deal by deal, seating by seating; None unless the
            arena was asked to keep them.
    """

    differences: npt.NDArray[np.float64]
    behaviour: npt.NDArray[np.float64]
    decisions: npt.NDArray[np.int64]
    seconds: npt.NDArray[np.float64]
    fault: Fault | None = None
    actions: list[npt.NDArray[np.int16]] | None = None

    def __len__(self) -> int:
        return len(self.differences)


def joined(parts: Sequence[Results]) -> Results:
    """Results that follow one another, as one."""
    kept = [part.actions for part in parts if part.actions is not None]
    return Results(
        np.concatenate([part.differences for part in parts]),
        np.concatenate([part.behaviour for part in parts]),
        np.concatenate([part.decisions for part in parts]),
        np.sum([part.seconds for part in parts], axis=0),
        parts[-1].fault,
        list(itertools.chain(*kept)) if len(kept) == len(parts) else None,
    )


def seatings(seats: int, first: int = 1, second: int = 1) -> npt.NDArray[np.int64]:
    """Which entrant has each seat in each game of a deal, int64[seatings, seats].

    Two sides: both assignments, and of each team of two both orders. Three seats: each agent alone
    against the other, in each seat.

    Args:
        seats: the seats.
        first: entrants of the first team, 1 or 2; they have the numbers from 0.
        second: those of the second team; their numbers follow.

    Raises:
        ValueError: a team of two where a side does not have two fixed seats.
    """
    if seats != 4 and (first, second) != (1, 1):
        raise ValueError(f"two partners make a side of four seats, not of {seats}")
    if seats == 3:
        alone = np.eye(3, dtype=np.int64)
        return np.concatenate([1 - alone, alone])
    sizes, bases = (first, second), (0, first)
    return np.array(
        [
            [
                bases[team] + (seat // 2 + turns[team]) % sizes[team]
                for seat in range(seats)
                for team in ((seat + swap) % 2,)
            ]
            for swap in range(2)
            for turns in itertools.product(range(first), range(second))
        ]
    )


@dataclass(frozen=True)
class Lineup:
    """Two teams, seated.

    Attributes:
        entrants: the first team's, then the second's.
        teams: which team each of them belongs to, int64[entrants].
        seatings: which of them has each seat in each game of a deal, int64[seatings, seats].
    """

    entrants: tuple[Entrant, ...]
    teams: npt.NDArray[np.int64]
    seatings: npt.NDArray[np.int64]

    @classmethod
    def of(cls, first: Team, second: Team, seats: int) -> Lineup:
        """Seat two teams.

        Raises:
            ValueError: partners, but not four seats.
        """
        members = [team if isinstance(team, tuple) else (team,) for team in (first, second)]
        sizes = [len(team) for team in members]
        return cls((*members[0], *members[1]), np.repeat([0, 1], sizes), seatings(seats, *sizes))


@dataclass(frozen=True)
class Arena:
    """Where and how teams meet.

    Attributes:
        rules: the rules.
        seed: whole number >= 0. Deal d of a seed is the one that `Batch(rules, n, seed)` deals to
            game d.
        workers: threads that play deals; at least 1. The results do not depend on it.
        batch_deals: deals that a thread plays at once, unless an agent wants fewer
            (`deals_at_once`); at least 1. The results do not depend on it.
        keep_actions: whether the results hold the actions of each game.

    Raises:
        ValueError: one of them out of range.
    """

    rules: Rules
    seed: int = 0
    workers: int = 1
    batch_deals: int = 256
    keep_actions: bool = False

    def __post_init__(self) -> None:
        check_seed(self.seed)
        for name in ("workers", "batch_deals"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")

    def play(self, first: Team, second: Team, deals: int, start: int = 0) -> Iterator[Results]:
        """Play the deals `start` to `start + deals - 1`; yields them part by part, in order.

        A part whose `fault` is set is the last one, and ends before the deal at fault.

        Raises:
            ValueError: partners where there are not four seats, or a `deals_at_once` below 1.
        """
        lineup = Lineup.of(first, second, self.rules.seats)
        at_once = min([self.batch_deals, *map(_deals_at_once, lineup.entrants)])
        starts = range(start, start + deals, at_once)
        sizes = [min(at_once, start + deals - at) for at in starts]
        stop = threading.Event()

        def part(at: int, size: int) -> Results:
            return _Tables(self, lineup, at, size).play(stop)

        if self.workers == 1:
            yield from _until_fault(map(part, starts, sizes))
            return
        pool = ThreadPoolExecutor(self.workers)
        try:
            yield from _until_fault(pool.map(part, starts, sizes))
        finally:
            stop.set()  # nobody waits for the deals that are still being played
            pool.shutdown(cancel_futures=True)

    def warm_up(self, entrants: Sequence[Entrant]) -> None:
        """Compile what playing needs, so that no clock runs meanwhile; each agent acts once."""
        twin = Entrant("random", RandomAgent())
        _Tables(self, Lineup.of(twin, twin, self.rules.seats), 0, 1).play(threading.Event())
        start = Game.deal(self.rules, seed=0)
        for entrant in entrants:
            with contextlib.suppress(Exception):  # it will fail in its first deal too
                entrant.agent.act(
                    start.observation()[None], start.mask()[None], np.zeros(1, dtype=np.uint64)
                )


def _deals_at_once(entrant: Entrant) -> int:
    """How many deals the agent will play at once."""
    wanted = getattr(entrant.agent, "deals_at_once", sys.maxsize)
    if wanted < 1:
        raise ValueError(f"agent {entrant.name}: deals_at_once must be at least 1, not {wanted}")
    return int(wanted)


def _until_fault(parts: Iterator[Results]) -> Iterator[Results]:
    for part in parts:
        yield part
        if part.fault is not None:
            return


@row_kernel
def _deal_all(games: Any) -> None:
    for index in range(games.shape[0]):
        deal(games[index], -1)


def dealt(rules: Rules, seed: int, first: int, count: int) -> npt.NDArray[np.void]:
    """The deals `first` to `first + count - 1` of a seed, `GAME_DTYPE`[count]; see `Arena.seed`."""
    games = new_games(rules, count)
    games["generator"] = generator_states(seed, count, first=first)
    _deal_all(games)
    return games


@row_kernel
def _deal(games: Any, tables: Any) -> None:
    for row in range(games.shape[0]):
        game, table = games[row], tables[row]
        deal(game, -1)
        for seat in range(game["rules"]["seats"]):
            table["generators"][seat] = split(game)
        table["to_act"] = table["players"][game["seat"]]


@row_kernel
def _look(
    games: Any, tables: Any, rows: Any, ids: Any, observations: Any, masks: Any, rng: Any
) -> None:
    """Write what the agents see in the games `rows`, and their generators; `ids` is scratch."""
    for index in range(rows.shape[0]):
        game = games[rows[index]]
        look(game, ids, masks[index], observations[index])
        rng[index] = tables[rows[index]]["generators"][game["seat"]]


@row_kernel
def _check(masks: Any, actions: Any, legal: Any) -> None:
    """Write which of the actions are ids of legal ones."""
    for row in range(masks.shape[0]):
        action = actions[row]
        legal[row] = 0 <= action < masks.shape[1] and masks[row, action] == 1


@row_kernel
def _step(games: Any, tables: Any, rows: Any, actions: Any, rng: Any) -> None:
    """Play a legal action in each of the games `rows`, and count what it was."""
    for index in range(rows.shape[0]):
        game, table, action = games[rows[index]], tables[rows[index]], int64(actions[index])
        seat, phase = game["seat"], game["phase"]
        pile, pozzetto = game["pile_size"], game["first_pozzetto"]
        table["generators"][seat] = rng[index]
        apply(game, action)
        counts = table["counts"][seat]
        counts[_DECISIONS] += 1
        discarded = DISCARD <= action < MELD_RUN
        if discarded:
            counts[_TURNS] += 1
        if game["first_pozzetto"] > pozzetto:
            counts[_BY_DISCARD if discarded else _IN_FLIGHT] += 1
        if phase == DRAW_PHASE and game["pile_size"] < pile:
            counts[_PICKUPS] += 1
            counts[_PICKED_UP] += pile - game["pile_size"]
        over = game["phase"] == OVER_PHASE
        table["to_act"] = int64(_NOBODY) if over else table["players"][game["seat"]]


@row_kernel
def _finish(games: Any, tables: Any, points: Any) -> None:
    """Write the points of each seat and count what lies on the table."""
    parts = np.zeros((MAX_SIDES, NUM_POINT_PARTS), np.int64)
    burrachi = np.zeros((MAX_SIDES, CLEAN + 1))
    for row in range(games.shape[0]):
        game, table = games[row], tables[row]
        seat_points(game, parts, points[row])
        _count_burrachi(game, burrachi)
        for seat in range(game["rules"]["seats"]):
            side, counts = game["side_of"][seat], table["counts"][seat]
            members = 0
            for other in range(game["rules"]["seats"]):
                members += 1 if game["side_of"][other] == side else 0
            for kind in range(NO_MELD + 1, CLEAN + 1):
                counts[_CLEAN + CLEAN - kind] = burrachi[side, kind] / members
            counts[_LEFT] = game["hand_sizes"][seat]
            if game["outcome"] == CLOSED and game["closed_by"] == seat:
                counts[_CLOSINGS] = 1


@row_kernel
def _count_burrachi(game: Any, burrachi: Any) -> None:
    """Count the melds of each side by what they are, float64[3, 4]."""
    burrachi[:, :] = 0
    rules = game["rules"]
    for side in range(game["num_sides"]):
        for suit in range(NUM_SUITS):
            for slot in range(int64(game["num_runs"][side, suit])):
                burrachi[side, run_burraco(rules, game["runs"][side, suit, slot])] += 1
        for rank in range(NUM_RANKS):
            for slot in range(int64(game["num_sets"][side, rank])):
                burrachi[side, set_burraco(rules, game["sets"][side, rank, slot])] += 1


class _Tables:
    """Some deals, each in all seatings, played at the same time."""

    def __init__(self, arena: Arena, lineup: Lineup, start: int, count: int) -> None:
        seats = arena.rules.seats
        self._lineup, self._start, self._seatings = lineup, start, len(lineup.seatings)
        size = count * self._seatings
        self._games = new_games(arena.rules, size)
        states = generator_states(arena.seed, count, first=start)
        self._games["generator"] = np.repeat(states, self._seatings)
        self._tables = np.zeros(size, dtype=_TABLE_DTYPE)
        self._tables["players"][:, :seats] = np.tile(lineup.seatings, (count, 1))
        self._players = self._tables["players"][:, :seats]
        self._seconds = np.zeros(len(lineup.entrants))
        self._played: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]] | None = (
            [] if arena.keep_actions else None
        )
        self._end = start + count
        self._fault: Fault | None = None
        self._ids = np.zeros(NUM_ACTIONS, dtype=np.int16)
        self._observations = np.zeros((size, OBSERVATION_SIZE), dtype=np.int8)
        self._masks = np.zeros((size, NUM_ACTIONS), dtype=np.int8)
        self._rng = np.zeros(size, dtype=np.uint64)

    def play(self, stop: threading.Event) -> Results:
        """Play to the end, or raise CancelledError soon after `stop` was set."""
        _deal(self._games, self._tables)
        while not stop.is_set():
            idle = True
            for player in range(len(self._lineup.entrants)):
                rows = np.flatnonzero(self._tables["to_act"] == player)
                if len(rows):
                    self._act(player, rows)
                    idle = False
            if idle:
                return self._results()
        raise CancelledError

    def _act(self, player: int, rows: npt.NDArray[np.int64]) -> None:
        """Let an entrant act in these games."""
        count, entrant = len(rows), self._lineup.entrants[player]
        observations, masks = self._observations[:count], self._masks[:count]
        rng = self._rng[:count]
        _look(self._games, self._tables, rows, self._ids, observations, masks, rng)
        began = time.perf_counter()
        actions, errors = _ask(entrant.agent, observations, masks, rng)
        self._seconds[player] += time.perf_counter() - began
        legal = np.zeros(count, dtype=np.bool_)
        _check(masks, actions, legal)
        for index in np.flatnonzero(~legal):
            what = errors.get(int(index)) or self._illegal(int(rows[index]), int(actions[index]))
            self._give_up(entrant.name, int(rows[index]), what)
        if not legal.all():  # play on where the deal still counts
            going = np.flatnonzero(legal & (rows < (self._end - self._start) * self._seatings))
            rows, actions, rng = rows[going], actions[going], rng[going]
        if self._played is not None:
            self._played.append((rows, actions))
        _step(self._games, self._tables, rows, actions, rng)

    def _illegal(self, row: int, action: int) -> str:
        game = self._games[row]
        try:
            text = f" ({action_text(game, action)})" if 0 <= action < NUM_ACTIONS else ""
        except ValueError:  # a meld that is not there
            text = ""
        mask = np.zeros(NUM_ACTIONS, dtype=np.int8)
        look(game, self._ids, mask, np.zeros(OBSERVATION_SIZE, dtype=np.int8))
        ids = (int(id_) for id_ in np.flatnonzero(mask))
        legal = ", ".join(f"{id_} ({action_text(game, id_)})" for id_ in ids)
        return f"answered {action}{text}, which is not legal; legal: {legal}"

    def _give_up(self, name: str, row: int, what: str) -> None:
        """Play no more of this deal and of those behind it."""
        number = self._start + row // self._seatings
        if number >= self._end:  # given up before, or an earlier fault in the same deal
            return
        decision = int(self._tables["counts"][row, :, _DECISIONS].sum()) + 1
        seat = int(self._games[row]["seat"])
        self._end = number
        self._fault = Fault(name, number, decision, f"seat {seat} {what}")
        self._tables["to_act"][(number - self._start) * self._seatings :] = _NOBODY

    def _results(self) -> Results:
        kept = (self._end - self._start) * self._seatings
        tables = self._tables[:kept]
        points = np.zeros((kept, MAX_SEATS))
        _finish(self._games[:kept], tables, points)
        seats = self._players.shape[1]
        players = self._players[:kept, None]
        mine = self._lineup.teams[players] == np.arange(2)[:, None]  # [game, team, seat]
        means = (points[:, None, :seats] * mine).sum(axis=2) / mine.sum(axis=2)
        held = players == np.arange(len(self._lineup.entrants))[:, None]  # [game, entrant, seat]
        counts = (tables["counts"][:, None, :seats] * held[..., None]).sum(axis=2)
        shape = (-1, self._seatings)
        return Results(
            (means[:, 0] - means[:, 1]).reshape(shape),
            counts.reshape(*shape, *counts.shape[1:]).mean(axis=1),
            counts[..., _DECISIONS].sum(axis=1).reshape(shape).sum(axis=1).astype(np.int64),
            self._seconds,
            self._fault,
            None if self._played is None else _by_game(self._played, kept),
        )


def _by_game(
    played: Sequence[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]], games: int
) -> list[npt.NDArray[np.int16]]:
    """The actions of each of the first games, from the rows and actions of each step."""
    rows, actions = (np.concatenate(arrays) for arrays in zip(*played, strict=True))
    order = np.argsort(rows, kind="stable")
    ends = np.searchsorted(rows[order], np.arange(games), side="right")
    return np.split(actions[order].astype(np.int16), ends)[:games]


def _ask(
    agent: Agent,
    observations: npt.NDArray[np.int8],
    masks: npt.NDArray[np.int8],
    rng: npt.NDArray[np.uint64],
) -> tuple[npt.NDArray[np.int64], dict[int, str]]:
    """What the agent answers, and by row what went wrong where it raised."""
    kept = rng.copy()
    try:
        return _answers(agent, observations, masks, rng), {}
    except Exception as error:
        first = error
    actions = np.full(len(masks), -1, dtype=np.int64)
    errors: dict[int, str] = {}
    rng[:] = kept
    for row in range(len(masks)):  # find the games in which it raises
        one = slice(row, row + 1)
        try:
            actions[row] = _answers(agent, observations[one], masks[one], rng[one])[0]
        except Exception as error:
            errors[row] = _raised(error)
    if not errors:  # it only fails when it is asked for several
        return np.full(len(masks), -1, dtype=np.int64), {0: _raised(first)}
    return actions, errors


def _raised(error: Exception) -> str:
    return f"raised {type(error).__name__}: {error}"


def _answers(
    agent: Agent,
    observations: npt.NDArray[np.int8],
    masks: npt.NDArray[np.int8],
    rng: npt.NDArray[np.uint64],
) -> npt.NDArray[np.int64]:
    actions = np.asarray(agent.act(observations, masks, rng))
    if actions.shape != (len(masks),) or actions.dtype.kind not in "iu":
        raise ValueError(
            f"an agent answers int64[{len(masks)}] here, "
            f"not {actions.dtype.name}{list(actions.shape)}"
        )
    return actions.astype(np.int64)


UNTIL_DEALS = 500
"""With a wanted half-width, the interval is looked at again after so many deals."""


def meet(
    arena: Arena,
    first: Team,
    second: Team,
    deals: int,
    enough: Callable[[Results], bool] | None = None,
) -> Iterator[Results]:
    """Play deals between two teams; yields them part by part, in order, as `Arena.play`.

    Args:
        arena: where.
        first: the team whose points count as positive.
        second: the other.
        deals: deals to play.
        enough: asked after them for all results so far; while it says no, `UNTIL_DEALS` more are
            played. None: no more.
    """
    parts: list[Results] = []
    done, wanted = 0, deals
    while True:
        for part in arena.play(first, second, wanted - done, start=done):
            parts.append(part)
            yield part
        if parts[-1].fault or enough is None or enough(joined(parts)):
            return
        done, wanted = wanted, wanted + UNTIL_DEALS
