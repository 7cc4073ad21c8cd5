"""Records of the arena's games: complete, replayable, the same whatever the workers."""

from __future__ import annotations

import itertools
from pathlib import Path

import numba
import pytest

from agents.arena import Arena, Entrant, Lineup, joined, seatings
from agents.game_records import RecordFile, deal_number, records
from agents.greedy import GreedyAgent
from agents.registry import make_agent
from burraco_env import Batch, Rules, load_records
from burraco_env.game import deck_text
from tests.test_evaluate import Faulty, run

plays_deals = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="too many deals without the compiler"
)
GREEDY, RANDOM = (Entrant(name, make_agent(name)) for name in ("greedy", "random"))


@plays_deals
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_actions_kept_are_the_games_of_the_results(seats: int) -> None:
    rules = Rules.preset("italian", seats)
    arena = Arena(rules, seed=6, keep_actions=True)
    results = joined(list(arena.play(GREEDY, RANDOM, 3)))
    lineup = Lineup.of(GREEDY, RANDOM, seats)
    found = list(records(arena, lineup, 0, results))
    dealt = Batch(rules, 3, seed=6)
    assert len(found) == 3 * len(seatings(seats))
    pairs = itertools.product(range(3), enumerate(seatings(seats).tolist()))
    decisions = [0, 0, 0]
    for record, (deal, (index, seating)) in zip(found, pairs, strict=True):
        end = record.replay()
        assert record.deck == deck_text(dealt.games[deal : deal + 1])
        assert record.players == tuple(("greedy", "random")[player] for player in seating)
        points = end.seat_points()
        mine, theirs = (
            [points[seat] for seat in range(seats) if seating[seat] == player]
            for player in range(2)
        )
        difference = sum(mine) / len(mine) - sum(theirs) / len(theirs)
        assert difference == results.differences[deal, index]
        decisions[deal] += len(record.decisions)
    assert decisions == results.decisions.tolist()


def test_a_deal_by_its_number_is_that_of_the_batch() -> None:
    rules = Rules.preset("mini")
    dealt = Batch(rules, 4, seed=9)
    for number in range(4):
        game = deal_number(Arena(rules, seed=9), number)
        assert game.deck == deck_text(dealt.games[number : number + 1])
        assert game.dealer == dealt.games[number]["dealer"]


@plays_deals
def test_nothing_is_kept_unless_it_is_asked_for() -> None:
    arena = Arena(Rules.preset("mini"))
    results = joined(list(arena.play(GREEDY, RANDOM, 2)))
    assert results.actions is None
    with pytest.raises(ValueError, match="make it with keep_actions=True"):
        next(records(arena, Lineup.of(GREEDY, RANDOM, 2), 0, results))


@plays_deals
def test_the_games_before_a_fault_are_kept() -> None:
    arena = Arena(Rules.preset("italian"), seed=7, keep_actions=True)
    faulty = Entrant("faulty", Faulty("raises"))
    results = joined(list(arena.play(GREEDY, faulty, 40)))
    assert results.fault is not None
    found = list(records(arena, Lineup.of(GREEDY, faulty, 4), 0, results))
    assert len(found) == 2 * results.fault.deal > 0
    for record in found:
        record.replay()


@plays_deals
def test_the_file_grows_part_by_part(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text("of another evaluation")
    file = RecordFile(path)
    arena = Arena(Rules.preset("mini"), batch_deals=2, keep_actions=True)
    lineup, start = Lineup.of(GREEDY, RANDOM, 2), 0
    for part in arena.play(GREEDY, RANDOM, 5):
        file.append(arena, lineup, start, part)
        start += len(part)
        assert len(list(load_records(path))) == 2 * start
    assert start == 5


@plays_deals
def test_the_command_writes_the_same_records_whatever_the_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GreedyAgent, "deals_at_once", 2, raising=False)
    written = []
    for workers in ("1", "3"):
        path = tmp_path / f"{workers}.jsonl"
        words = ["greedy", "random", "--deals", "7", "--preset", "mini", "--workers", workers]
        assert run(monkeypatch, *words, "--records", str(path)) == 0
        written.append(path.read_bytes())
    assert written[0] == written[1]
    found = list(load_records(tmp_path / "1.jsonl"))
    assert len(found) == 14
    for record in found:
        record.replay()
        assert sorted(record.players) == ["greedy", "random"]
