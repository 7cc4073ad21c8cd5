"""Experience for a network: many games at once, in compiled code up to its decisions.

In each round every game is played on until a network must choose: scripted seats and decisions
with one legal action never leave the kernel, and a game that is over is scored and dealt anew. A
row of `Rows` is one such decision, row `round * games + game`. The rows of one seat in one deal are
linked (`Rows.following`), so that each seat learns from its own decisions and its own points.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.action_features import write_action_features
from agents.expert import score_and_note
from agents.features import write_features
from agents.head import prior_score
from agents.rollout import GREEDY, decide, write_leads
from agents.valuation import NUM_ACTION_FEATURES
from burraco_env._jit import int64, kernel, row_kernel
from burraco_env.cards import NUM_CARDS
from burraco_env.engine import apply, deal, legal
from burraco_env.generator import next_below, split
from burraco_env.observations import observe, seat_at
from burraco_env.rules import MAX_SEATS
from burraco_env.scoring import victory_points
from burraco_env.state import OVER_PHASE, Game

NETWORK = GREEDY - 1
"""Policy of a seat for which the network that learns chooses; outsider o is `NETWORK - 1 - o`."""

SELF, SCRIPTED, OUTSIDER = range(3)
"""Kinds of opponents: the network itself, a policy of `rollout.decide`, one asked from outside."""

TABLE_DTYPE = np.dtype(
    [
        ("policies", np.int64, (MAX_SEATS,)),
        ("last", np.int64, (MAX_SEATS,)),  # row of the seat's last decision in this batch, or -1
        ("choice", np.int64),  # action to be played next, or NOT_DEALT
    ],
    align=True,
)
"""What is kept of a game between rounds, beside its record."""

MOST_LEGAL = 128
"""Legal actions of a row; where there are more, those with the lowest scores are left out."""
_POZZETTO = (MAX_SEATS - 1) * NUM_CARDS
_STOCK = _POZZETTO + NUM_CARDS
_LEAD = _STOCK + 2 * NUM_CARDS
HIDDEN_SIZE = _LEAD + 2
"""What only the critic sees: the hands of the other relative seats, the next pozzetto, the next
cards of the stock (so many as `_AHEAD` says), and the lead in two units."""
_AHEAD = (4, 16)
HIDDEN_SCALES: npt.NDArray[np.float32] = np.array([1.0] * _LEAD + [0.05, 0.1], dtype=np.float32)
_LEAD_UNITS = (4.0, 20.0)

POINTS, WINS, VICTORY_POINTS = range(3)
"""Objectives: what a deal is worth to a seat at its end."""
OBJECTIVES = ("points", "wins", "victory_points")
POINTS_SCALE = 200.0
"""Points that make a reward of 1; about the value of a victory point as well."""
_STEPS: npt.NDArray[np.int64] = np.array([victory_points(d, 4)[0] - 10 for d in range(2002)])
_DECISIONS_APART = 120
"""The expert takes up to so many decisions in the first deal of each game, so that not all of them
end together."""
_NO_END = 1 << 40
NOT_DEALT = -2
"""Choice of a table that has not seen a deal."""


class Rows(NamedTuple):
    """A batch of decisions; all arrays have one entry for each row."""

    inputs: Any
    """What the network sees, int8[n, inputs]."""
    hidden: Any
    """What only the critic sees, int8[n, HIDDEN_SIZE]."""
    ids: Any
    """Legal actions, int16[n, MOST_LEGAL]."""
    scores: Any
    """Their scores by the prior, float32[n, MOST_LEGAL]."""
    features: Any
    """What is seen of each, int8[n, MOST_LEGAL, NUM_ACTION_FEATURES]."""
    counts: Any
    """How many there are, int16[n]."""
    chosen: Any
    """Which of them was chosen, int16[n]."""
    log_probs: Any
    """Logarithm of its probability, float32[n]."""
    baseline: Any
    """What the objective would be if the deal ended now, float32[n]; the critic adds to it."""
    reward: Any
    """What the deal was worth, where `ended`, float32[n]."""
    ended: Any
    """1: the seat's last decision of its deal, int8[n]."""
    following: Any
    """Row of the seat's next decision of the deal; -1: none in this batch, int64[n]."""
    to_act: Any
    """0: the network that learns; 1 + o: outsider o, int16[n]."""


def new_rows(count: int, inputs: int) -> Rows:
    """Room for a batch."""
    return Rows(
        inputs=np.zeros((count, inputs), np.int8),
        hidden=np.zeros((count, HIDDEN_SIZE), np.int8),
        ids=np.zeros((count, MOST_LEGAL), np.int16),
        scores=np.zeros((count, MOST_LEGAL), np.float32),
        features=np.zeros((count, MOST_LEGAL, NUM_ACTION_FEATURES), np.int8),
        counts=np.zeros(count, np.int16),
        chosen=np.zeros(count, np.int16),
        log_probs=np.zeros(count, np.float32),
        baseline=np.zeros(count, np.float32),
        reward=np.zeros(count, np.float32),
        ended=np.zeros(count, np.int8),
        following=np.zeros(count, np.int64),
        to_act=np.zeros(count, np.int16),
    )


class Plan(NamedTuple):
    """How games are dealt and judged."""

    templates: Any
    """A blank game of each rules, `GAME_DTYPE`[n]; one is drawn for each deal."""
    parameters: Any
    """Of the prior, then of scripted experts, float64[n, 2, NUM_PARAMETERS]."""
    bounds: Any
    """Share of each opponent and those before it, in thousandths, int64[opponents]."""
    opponents: Any
    """Kind, first policy or outsider, and how many follow one another, int64[opponents, 3]."""
    objective: int
    """POINTS, WINS or VICTORY_POINTS."""
    features: bool
    """Inputs are the features of decision and actions, not the observation."""
    scored: bool
    """The prior's scores are wanted."""


class Seen(NamedTuple):
    """What agents from outside are asked with, a row for each game."""

    observations: Any
    """int8[games, OBSERVATION_SIZE]."""
    masks: Any
    """int8[games, NUM_ACTIONS]."""
    rng: Any
    """uint64[games]; also for the network's draws."""


@kernel
def _seat_policies(game: Game, table: Any, plan: Plan) -> None:
    """Draw who plays against the network in this deal, and in which seats."""
    drawn = next_below(game, 1000)
    index = int64(0)
    while drawn >= plan.bounds[index]:
        index += 1
    kind, first, count = plan.opponents[index]
    table["policies"][:] = NETWORK
    if kind == SELF or count == 0:
        return
    policy = first + next_below(game, count)
    if kind == OUTSIDER:
        policy = NETWORK - 1 - policy
    seats = game["rules"]["seats"]
    alone, swap = next_below(game, seats), next_below(game, 2)
    for seat in range(seats):
        one = int64(seat == alone) if seats == 3 else seat % 2
        if one == swap:
            table["policies"][seat] = policy


@kernel
def _deal(games: Any, tables: Any, index: int, plan: Plan) -> None:
    """Draw the rules and the opponent, and deal; the game's generator goes on."""
    which = next_below(games[index], plan.templates.shape[0])
    generator = games[index]["generator"]
    games[index] = plan.templates[which]
    games[index]["generator"] = generator
    deal(games[index], int64(-1))
    _seat_policies(games[index], tables[index], plan)


@kernel
def _play_on(game: Game, table: Any, parameters: Any, desk: Any, most: int) -> int:
    """Play until a choice of a network is needed; how many are legal, their ids on the desk.

    0: the game is over, or so many decisions have been taken.
    """
    for _ in range(most):
        if game["phase"] == OVER_PHASE:
            return int64(0)
        policy = table["policies"][game["seat"]]
        if policy > NETWORK:
            apply(game, decide(game, policy, parameters, desk))
            continue
        count = legal(game, desk["ids"])
        if count > 1:
            return count
        apply(game, int64(desk["ids"][0]))
    return int64(0)


@kernel
def deal_worth(lead: float, objective: int) -> float:
    """What a lead at the end of a deal is worth."""
    if objective == POINTS:
        return lead / POINTS_SCALE
    sign = 1.0 if lead > 0 else -1.0 if lead < 0 else 0.0
    if objective == WINS:
        return sign
    return sign * float(_STEPS[min(int64(abs(lead)), 2001)])


@kernel
def _credit(table: Any, leads: Any, plan: Plan, rows: Rows) -> None:
    """The deal is over: give each seat that learns what it was worth."""
    for seat in range(MAX_SEATS):
        last = table["last"][seat]
        if last >= 0:
            rows.reward[last] = deal_worth(leads[seat], plan.objective)
            rows.ended[last] = 1
            table["last"][seat] = -1


@kernel
def _write_legal(rows: Rows, row: int, count: int, desk: Any, plan: Plan) -> None:
    notes, observation = desk["notes"], desk["observation"]
    kept = int64(0)
    for index in range(count):
        action = int64(desk["ids"][index])
        score = 0.0
        if plan.scored:
            score = prior_score(notes["scores"][action])
        at = kept
        if kept == MOST_LEGAL:
            at = int64(np.argmin(rows.scores[row]))
            if score <= rows.scores[row, at]:
                continue
        else:
            kept += 1
        rows.ids[row, at] = action
        rows.scores[row, at] = score
        if plan.features:
            write_action_features(observation, notes, action, rows.features[row, at])
    rows.counts[row] = kept


@kernel
def write_hidden(game: Game, lead: float, out: Any) -> None:
    """Write what only the critic sees of the seat to act; `out`: int8[HIDDEN_SIZE]."""
    seat, seats = game["seat"], game["rules"]["seats"]
    out[:] = 0
    for other in range(MAX_SEATS - 1):
        relative = seat_at(seats, seat, other + 1)
        if relative >= 0:
            for card in range(NUM_CARDS):
                out[other * NUM_CARDS + card] = game["hands"][relative, card]
    next_pozzetto = game["first_pozzetto"]
    if next_pozzetto < game["end_pozzetto"]:
        for index in range(game["rules"]["pozzetto_sizes"][next_pozzetto]):
            out[_POZZETTO + int64(game["pozzetti"][next_pozzetto, index])] += 1
    for ahead in range(min(_AHEAD[1], game["stock_size"])):
        card = int64(game["stock"][game["stock_size"] - 1 - ahead])
        out[_STOCK + card + (0 if ahead < _AHEAD[0] else NUM_CARDS)] += 1
    for index, unit in enumerate(_LEAD_UNITS):
        out[_LEAD + index] = int64(min(max(lead / unit, -127.0), 127.0))


@kernel
def _write_inputs(game: Game, plan: Plan, count: int, desk: Any, out: Any) -> None:
    """Write what the network sees of a decision; its mask, observation and scores on the desk."""
    observation, notes = desk["observation"], desk["notes"]
    desk["mask"][:] = 0
    for index in range(count):
        desk["mask"][desk["ids"][index]] = 1
    observe(game, game["seat"], observation)
    if plan.scored or plan.features:
        score_and_note(observation, desk["mask"], plan.parameters[0], notes)
    if plan.features:
        write_features(observation, notes, out)
    else:
        out[:] = observation


@row_kernel
def play_round(  # noqa: PLR0913, PLR0917 - a kernel takes its arrays one by one
    first: int, last: int, row: int, games: Any, tables: Any, plan: Plan, rows: Rows, seen: Seen,
    desk: Any,
) -> None:  # fmt: skip
    """Play the choices in the games `first` to `last - 1` and go on to the next ones.

    Args:
        first: first game.
        last: behind the last one.
        row: row of game 0 in this round.
        games: all games.
        tables: `TABLE_DTYPE`, one a game.
        plan: how they are dealt.
        rows: the batch, to write the decisions to.
        seen: for agents from outside.
        desk: scratch, a record of `rollout.DESK_DTYPE`.
    """
    leads = desk["leads"]
    for index in range(first, last):
        table = tables[index]
        if table["choice"] >= 0:
            apply(games[index], table["choice"])
        most = int64(_NO_END)
        if table["choice"] == NOT_DEALT:
            _deal(games, tables, index, plan)
            table["policies"][:] = 0
            most = next_below(games[index], _DECISIONS_APART)
        count = int64(0)
        while count == 0:
            count = _play_on(games[index], table, plan.parameters, desk, most)
            if games[index]["phase"] == OVER_PHASE:
                write_leads(games[index], desk)
                _credit(table, leads, plan, rows)
                _deal(games, tables, index, plan)
            elif count == 0:
                _seat_policies(games[index], table, plan)
            most = int64(_NO_END)
        game, at = games[index], row + index
        seat = game["seat"]
        _write_inputs(game, plan, count, desk, rows.inputs[at])
        _write_legal(rows, at, count, desk, plan)
        write_leads(game, desk)
        write_hidden(game, leads[seat], rows.hidden[at])
        rows.baseline[at] = leads[seat] / POINTS_SCALE if plan.objective == POINTS else 0.0
        rows.reward[at] = 0
        rows.ended[at] = 0
        rows.following[at] = -1
        rows.to_act[at] = NETWORK - table["policies"][seat]
        seen.rng[index] = split(game)
        if rows.to_act[at] > 0:
            seen.observations[index] = desk["observation"]
            seen.masks[index] = desk["mask"]
            continue
        if table["last"][seat] >= 0:
            rows.following[table["last"][seat]] = at
        table["last"][seat] = at


@row_kernel
def take_choices(row: int, tables: Any, rows: Rows) -> None:
    """Let each game play what was chosen in this round."""
    for index in range(tables.shape[0]):
        at = row + index
        tables[index]["choice"] = int64(rows.ids[at, rows.chosen[at]])


@row_kernel
def imitate(row: int, count: int, rows: Rows) -> None:
    """Choose in each row of a round what the prior likes best."""
    for at in range(row, row + count):
        best = int64(0)
        for index in range(1, rows.counts[at]):
            if rows.scores[at, index] > rows.scores[at, best]:
                best = index
        rows.chosen[at] = best


@row_kernel
def estimate_advantages(rows: Rows, values: Any, decay: float, advantages: Any) -> None:
    """Generalised advantage estimation along each seat's decisions, without discount.

    Args:
        rows: the batch.
        values: of the critic, the baseline added, float32[n].
        decay: lambda.
        advantages: for the result, float32[n]; 0 where the seat's deal goes on behind the batch.
    """
    for row in range(values.shape[0] - 1, -1, -1):
        following = rows.following[row]
        if rows.ended[row]:
            advantages[row] = rows.reward[row] - values[row]
        elif following >= 0:
            step = values[following] - values[row]
            advantages[row] = step + decay * advantages[following]
        else:
            advantages[row] = 0.0
