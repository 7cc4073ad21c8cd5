"""Duplicate deals: symmetries, batches and threads, partners, faults; the command evaluate.py."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
import pytest

import evaluate
from agents import arena, statistics
from agents.arena import BEHAVIOUR, Arena, Entrant, Results, Team, joined, meet, seatings
from agents.evaluation import baselines
from agents.registry import AGENTS, make_agent
from burraco_env import Batch, Game, Rules, load_records
from burraco_env.agent import RandomAgent
from burraco_env.generator import split
from tests.play import GAME_IDS, GAMES

pytestmark = [pytest.mark.boundscheck]

FEW, MANY = 12, 100
GREEDY, RANDOM = (Entrant(name, make_agent(name)) for name in ("greedy", "random"))
plays_deals = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="too many deals without the compiler"
)
each_game = pytest.mark.parametrize(("preset", "seats"), GAMES, ids=GAME_IDS)


def play(where: Arena, first: Team, second: Team, deals: int, start: int = 0) -> Results:
    """All parts of a match as one."""
    return joined(list(where.play(first, second, deals, start)))


def same(one: Results, other: Results) -> bool:
    return all(
        (getattr(one, name) == getattr(other, name)).all()
        for name in ("differences", "behaviour", "decisions")
    )


@plays_deals
@each_game
def test_an_agent_against_itself_gets_exactly_nothing(preset: str, seats: int) -> None:
    where = Arena(Rules.preset(preset, seats), seed=2)
    twin = Entrant("another name", RandomAgent())
    for first, second in ((RANDOM, RANDOM), (RANDOM, twin), (GREEDY, GREEDY)):
        results = play(where, first, second, FEW)
        assert (results.differences.sum(axis=1) == 0).all()
        assert (results.behaviour[:, 0] == results.behaviour[:, 1]).all()
        assert results.differences.any()  # each seating for itself has a winner


@plays_deals
@each_game
def test_swapping_the_agents_negates_the_result_exactly(preset: str, seats: int) -> None:
    where = Arena(Rules.preset(preset, seats), seed=3)
    one, other = play(where, GREEDY, RANDOM, FEW), play(where, RANDOM, GREEDY, FEW)
    means = [results.differences.mean(axis=1) for results in (one, other)]
    assert (means[0] == -means[1]).all()
    assert (one.behaviour == other.behaviour[:, ::-1]).all()
    first, second = (statistics.mean_over_deals(mean) for mean in means)
    assert (first.mean, first.sd) == (-second.mean, second.sd)
    assert first.interval == (-second.interval.high, -second.interval.low)
    rates = [statistics.win_rate(statistics.wins(mean)) for mean in means]
    assert rates[0][0] == 1 - rates[1][0]
    assert rates[0][1].low == pytest.approx(1 - rates[1][1].high, abs=1e-15)


@plays_deals
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_batches_and_threads_change_nothing(seats: int) -> None:
    rules = Rules.preset("italian", seats)
    reference = play(Arena(rules, seed=4), GREEDY, RANDOM, FEW)
    assert len(reference) == FEW
    for workers, batch_deals in ((1, 1), (1, 5), (2, 3), (3, 1)):
        where = Arena(rules, seed=4, workers=workers, batch_deals=batch_deals)
        assert same(play(where, GREEDY, RANDOM, FEW), reference)
    half = FEW // 2
    parts = [
        play(Arena(rules, seed=4), GREEDY, RANDOM, half),
        play(Arena(rules, seed=4), GREEDY, RANDOM, FEW - half, start=half),
    ]
    assert same(joined(parts), reference)
    assert not same(play(Arena(rules, seed=5), GREEDY, RANDOM, FEW), reference)


@plays_deals
@each_game
def test_greedy_beats_random_with_the_interval_clear_of_zero(preset: str, seats: int) -> None:
    results = play(Arena(Rules.preset(preset, seats), seed=1), GREEDY, RANDOM, MANY)
    mean = statistics.mean_over_deals(results.differences.mean(axis=1))
    least = 650 if (preset, seats) == ("italian", 4) else 250
    assert mean.interval.low > least
    assert (results.behaviour[:, 0] >= 0).all()


def test_seatings_are_all_assignments_of_the_sides_and_all_rotations() -> None:
    assert seatings(4).tolist() == [[0, 1, 0, 1], [1, 0, 1, 0]]
    assert seatings(2).tolist() == [[0, 1], [1, 0]]
    three = seatings(3).tolist()
    assert sorted(three) == sorted(
        [[0, 1, 1], [1, 0, 1], [1, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    )


def test_seatings_of_partners_have_each_of_them_in_each_seat() -> None:
    assert seatings(4, first=2).tolist() == [
        [0, 2, 1, 2], [1, 2, 0, 2], [2, 0, 2, 1], [2, 1, 2, 0],
    ]  # fmt: skip
    both = seatings(4, first=2, second=2)
    assert both.shape == (8, 4)
    assert len({tuple(seating) for seating in both}) == 8
    for seating in both.tolist():
        assert {frozenset(seating[::2]), frozenset(seating[1::2])} == {
            frozenset((0, 1)), frozenset((2, 3)),
        }  # fmt: skip
    for seats in (2, 3):
        with pytest.raises(ValueError, match=f"a side of four seats, not of {seats}"):
            seatings(seats, first=2)


@plays_deals
def test_partners_get_the_points_of_the_games_played_one_by_one() -> None:
    rules = Rules.preset("italian", 4)
    results = play(Arena(rules, seed=6), (GREEDY, RANDOM), GREEDY, 2)
    dealt = Batch(rules, 2, seed=6)
    entrants = (GREEDY, RANDOM, GREEDY)
    for number in range(2):
        for index, players in enumerate(seatings(4, first=2).tolist()):
            counted = Counted(rules, dealt.games[number : number + 1].copy(), players)
            points = counted.play(entrants, teams=(0, 0, 1))
            assert points == results.differences[number, index]
    assert results.behaviour.shape == (2, 3, len(BEHAVIOUR))


@plays_deals
def test_two_of_an_agent_as_partners_are_that_agent_with_both_seats() -> None:
    where = Arena(Rules.preset("italian"), seed=8)
    whole = play(where, GREEDY, RANDOM, FEW)
    twice = play(where, (GREEDY, GREEDY), RANDOM, FEW)
    assert (twice.differences.mean(axis=1) == whole.differences.mean(axis=1)).all()
    both = twice.behaviour[:, :2].sum(axis=1)
    assert both == pytest.approx(whole.behaviour[:, 0])


@plays_deals
def test_partners_swapped_with_the_other_side_negate_the_result_exactly() -> None:
    where = Arena(Rules.preset("italian"), seed=8)
    one = play(where, (GREEDY, RANDOM), RANDOM, FEW).differences.mean(axis=1)
    other = play(where, RANDOM, (RANDOM, GREEDY), FEW).differences.mean(axis=1)
    assert (one == -other).all()
    assert one.any()


class Slow(RandomAgent):
    """Plays at random; remembers for how many games at most it was asked at once."""

    def __init__(self, deals_at_once: int) -> None:
        self.deals_at_once = deals_at_once
        self.most = 0

    def act(self, *arrays: Any) -> npt.NDArray[np.int64]:
        self.most = max(self.most, len(arrays[0]))
        return super().act(*arrays)


@plays_deals
def test_a_slow_agent_limits_the_deals_at_once_and_changes_no_result() -> None:
    where = Arena(Rules.preset("italian"), seed=4)
    slow = Slow(deals_at_once=2)
    parts = list(where.play(GREEDY, Entrant("slow", slow), 5))
    assert [len(part) for part in parts] == [2, 2, 1]
    assert 1 <= slow.most <= 2 * len(seatings(4))
    assert same(joined(parts), play(where, GREEDY, RANDOM, 5))
    slow = Slow(deals_at_once=1000)
    assert len(list(where.play(GREEDY, Entrant("slow", slow), 5))) == 1
    with pytest.raises(ValueError, match="agent slow: deals_at_once must be at least 1, not 0"):
        next(where.play(GREEDY, Entrant("slow", Slow(0)), 5))


class Plodding(RandomAgent):
    """Plays at random, slowly, one deal after the other."""

    deals_at_once = 1

    def __init__(self) -> None:
        self.asked = 0

    def act(self, *arrays: Any) -> npt.NDArray[np.int64]:
        self.asked += 1
        time.sleep(0.01)
        return super().act(*arrays)


@plays_deals
def test_nobody_waits_for_deals_that_are_not_wanted_any_more() -> None:
    agent = Plodding()
    parts = Arena(Rules.preset("italian"), workers=3).play(Entrant("plodding", agent), GREEDY, 100)
    next(parts)
    asked = agent.asked
    assert asked > 40  # so many are about what a deal takes
    parts.close()  # as an interrupt does
    assert agent.asked - asked < 15  # of three deals that have begun


class Counted:
    """What the arena counts, counted again from the decisions of one game, as text."""

    def __init__(self, rules: Rules, state: npt.NDArray[np.void], players: list[int]) -> None:
        self.game = Game(rules, state)
        self.players = players
        self.counts = [dict.fromkeys(BEHAVIOUR, 0.0) for _ in range(max(players) + 1)]
        self.rng = [np.array([split(state[0])], dtype=np.uint64) for _ in range(rules.seats)]

    def play(self, entrants: Sequence[Entrant], teams: Sequence[int] = (0, 1)) -> float:
        """Play to the end; the difference of the points of the teams that they belong to."""
        game = self.game
        while not game.is_over:
            seat, before = game.seat, game.position()
            agent = entrants[self.players[seat]].agent
            action = agent.act(game.observation()[None], game.mask()[None], self.rng[seat])[0]
            text = game.text(action)
            game.play(text)
            self._count(self.counts[self.players[seat]], text, before, game.position())
        for seat, points in enumerate(game.position()["hands"]):
            self.counts[self.players[seat]]["cards_left"] += len(points.split())
        self._count_burrachi()
        by_team: list[list[float]] = [[], []]
        for seat, player in enumerate(self.players):
            by_team[teams[player]].append(game.seat_points()[seat])
        return float(np.mean(by_team[0]) - np.mean(by_team[1]))

    def _count(
        self, counts: dict[str, float], text: str, before: dict[str, Any], after: dict[str, Any]
    ) -> None:
        counts["decisions"] += 1
        counts["turns"] += text.startswith("discard")
        if text.startswith("pickup"):
            counts["pickups"] += 1
            counts["cards_picked_up"] += len(before["discard_pile"].split()) - len(
                after["discard_pile"].split()
            )
        taken = [[s for s in p["pozzetto_taken_by"] if s is not None] for p in (before, after)]
        if len(taken[1]) > len(taken[0]):
            way = "by_discard" if text.startswith("discard") else "in_flight"
            counts[f"pozzetti_{way}"] += 1
        counts["closings"] += after["outcome"] == "closed"

    def _count_burrachi(self) -> None:
        position = self.game.position()
        for side, seats in enumerate(self.game.sides):
            bonuses = self.game.points()[side]["bonuses"]
            kinds = [kind for meld in position["melds"][side] if (kind := burraco(meld))]
            worth = {"clean": 200, "semi_clean": 150, "dirty": 100}
            assert sum(worth[kind] for kind in kinds) == bonuses
            for kind in kinds:
                for seat in seats:
                    self.counts[self.players[seat]][f"burrachi_{kind}"] += 1 / len(seats)


def burraco(meld: str) -> str | None:
    """What a meld counts as in `italian` (spec 8)."""
    cards = meld.split("-")
    is_set = len({card[0] for card in cards if card[0] not in "2J(" or card in ("Jc", "Jd")}) == 1
    wilds = [i for i, c in enumerate(cards) if "(" in c or c == "Jo" or (is_set and c[0] == "2")]
    if len(cards) < 7:
        return None
    if not wilds:
        return "clean"
    at_end = is_set or wilds[0] in (0, len(cards) - 1)
    if len(cards) == 8 if is_set else (at_end and len(cards) >= 8):
        return "semi_clean"
    return "dirty"


@plays_deals
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_points_and_behaviour_are_those_of_the_games_played_one_by_one(seats: int) -> None:
    rules = Rules.preset("italian", seats)
    deals = 3
    results = play(Arena(rules, seed=6), GREEDY, RANDOM, deals)
    dealt = Batch(rules, deals, seed=6)
    for number in range(deals):
        counted = [
            Counted(rules, dealt.games[number : number + 1].copy(), players)
            for players in seatings(seats).tolist()
        ]
        assert [one.play((GREEDY, RANDOM)) for one in counted] == list(results.differences[number])
        for player in range(2):
            for index, name in enumerate(BEHAVIOUR):
                mean = np.mean([one.counts[player][name] for one in counted])
                assert results.behaviour[number, player, index] == pytest.approx(mean), name
        decisions = sum(one.counts[p]["decisions"] for one in counted for p in range(2))
        assert results.decisions[number] == decisions


class Faulty:
    """Plays at random, but fails where it holds this many jokers."""

    name = "faulty"

    def __init__(self, how: str, jokers: int = 2) -> None:
        self.how, self.jokers = how, jokers

    def act(
        self,
        observations: npt.NDArray[np.int8],
        masks: npt.NDArray[np.int8],
        rng: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.int64]:
        actions = RandomAgent().act(observations, masks, rng)
        bad = observations[:, 52] >= self.jokers
        if self.how == "raises" and bad.any():
            raise RuntimeError("too many jokers")
        if self.how == "interrupts" and bad.any():
            raise KeyboardInterrupt
        return np.where(
            bad, {"illegal": masks.argmin(axis=1), "no id": 985}.get(self.how, -1), actions
        )


@plays_deals
@pytest.mark.parametrize(
    ("how", "what"),
    [
        ("illegal", "which is not legal; legal: "),
        ("no id", "answered 985, which is not legal; legal: "),
        ("raises", "raised RuntimeError: too many jokers"),
    ],
)
def test_an_agent_that_fails_is_named_and_the_deals_before_are_kept(how: str, what: str) -> None:
    rules = Rules.preset("italian")
    entrant = Entrant("faulty", Faulty(how))
    results = [
        play(Arena(rules, seed=7, workers=workers, batch_deals=size), GREEDY, entrant, 40)
        for workers, size in ((1, 40), (1, 3), (2, 7))
    ]
    fault = results[0].fault
    assert fault is not None
    assert fault.deal == len(results[0]) > 0
    assert str(fault).startswith(f"agent faulty, deal {fault.deal}, decision {fault.decision}: ")
    assert what in str(fault)
    fine = play(Arena(rules, seed=7), GREEDY, RANDOM, fault.deal)
    for other in results:
        assert other.fault == fault
        assert same(other, fine)  # up to there it plays as random does


def test_an_answer_of_the_wrong_shape_is_a_fault() -> None:
    class Short(RandomAgent):
        def act(self, *arrays: Any) -> npt.NDArray[np.int64]:
            return super().act(*arrays)[1:]

    results = play(Arena(Rules.preset("mini")), GREEDY, Entrant("short", Short()), 2)
    assert len(results) == 0
    assert "an agent answers int64[1] here, not int64[0]" in str(results.fault)


def test_playing_on_until_the_interval_is_narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena, "UNTIL_DEALS", 3)
    where = Arena(Rules.preset("mini"))
    parts = meet(where, GREEDY, RANDOM, 2, enough=lambda results: len(results) >= 7)
    results = joined(list(parts))
    assert len(results) == 8
    assert same(results, play(where, GREEDY, RANDOM, 8))


def test_an_arena_that_cannot_be_is_refused() -> None:
    rules = Rules.preset("mini")
    with pytest.raises(ValueError, match="workers must be at least 1, not 0"):
        Arena(rules, workers=0)
    with pytest.raises(ValueError, match="batch_deals must be at least 1, not 0"):
        Arena(rules, batch_deals=0)
    with pytest.raises(ValueError, match="seed must be a whole number >= 0, not -1"):
        Arena(rules, seed=-1)


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    """The exit code of the command."""
    monkeypatch.setattr(sys, "argv", ["evaluate.py", *words])
    try:
        return evaluate.main()
    except SystemExit as refused:  # by tyro
        return int(refused.code or 0)


MATCH_KEYS = [
    "a", "b", "deals", "mean_points", "ci95", "sd", "win_rate", "win_rate_ci95",
    "victory_points", "behaviour", "decisions", "seconds", "ms_per_decision", "variance_reduction",
    "deals_needed",
]  # fmt: skip


@plays_deals
def test_the_command_prints_a_table_and_writes_the_same_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "out.json"
    words = ["greedy", "random", "random", "--preset", "italian", "--deals", "4"]
    assert run(monkeypatch, *words, "--json", str(file), "--workers", "2") == 0
    found = json.loads(file.read_text())
    assert list(found) == ["preset", "seats", "seed", "commit", "agents", "matches", "ratings"]
    assert (found["preset"], found["seats"], found["seed"]) == ("italian", 4, 0)
    assert found["agents"] == ["greedy", "random", "random"]
    assert [(m["a"], m["b"]) for m in found["matches"]] == [
        ("greedy", "random"), ("greedy", "random"), ("random", "random"),
    ]  # fmt: skip
    for match in found["matches"]:
        assert list(match) == MATCH_KEYS
        assert match["deals"] == 4
        low, high = match["ci95"]
        assert low <= match["mean_points"] <= high
        for key in "ab":
            behaviour = match["behaviour"][key]
            assert set(behaviour) == {*BEHAVIOUR, "pozzetti"}
            ways = behaviour["pozzetti_in_flight"] + behaviour["pozzetti_by_discard"]
            assert behaviour["pozzetti"] == pytest.approx(ways)
        assert all(time > 0 for time in match["ms_per_decision"].values())
    first, _, self_play = found["matches"]
    assert first["deals_needed"] == {
        str(points): statistics.deals_needed(first["sd"], points) for points in (5, 10, 20)
    }
    assert (self_play["mean_points"], self_play["sd"]) == (0, 0)
    assert self_play["variance_reduction"] is None  # nothing is left to be reduced
    assert self_play["deals_needed"] == {"5": None, "10": None, "20": None}
    assert found["matches"][2]["victory_points"] == 10
    assert [set(row) for row in found["ratings"]] == [{"agent", "rating", "ci95"}] * 3
    assert found["ratings"][0]["rating"] > found["ratings"][1]["rating"]
    printed = capsys.readouterr().out
    assert f"{found['matches'][0]['mean_points']:+.1f}" in printed
    assert "Bradley-Terry" in printed
    assert "burrachi semi clean" in printed


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "an evaluation needs an agent; name two to play each other"),
        (["greedy", "gredy"], "unknown agent 'gredy'; the agents are random, greedy"),
        (["greedy", "random", "--partners", "gredy"], "unknown agent 'gredy'; the agents are"),
        (["greedy", "README.md"], "README.md"),
        (["greedy", "random", "--seats", "2", "--partners", "random"], "four seats, not 2"),
        (["greedy", "--partners", "greedy"], "there is no agent to play with the partners"),
        (["greedy", "random", "--records", "no/x.jsonl"], "no is no folder to write x.jsonl to"),
        (["greedy", "random", "--report", "README.md"], "README.md is no folder to write a rep"),
        (["greedy", "random:depth=2"], "agent random has no option 'depth=2'"),
        (["greedy", "random", "--preset", "itallian"], "unknown preset 'itallian'; the presets"),
        (["greedy", "random", "--seats", "5"], "preset italian is for 4 or 2 or 3 seats, not 5"),
        (["greedy", "random", "--deals", "0"], "deals must be at least 1, not 0"),
        (["greedy", "random", "--until", "0"], "until must be above 0 points, not 0.0"),
        (["greedy", "random", "--workers", "0"], "workers must be at least 1, not 0"),
        (["greedy", "random", "--seed", "-1"], "seed must be a whole number >= 0, not -1"),
        (["greedy", "random", "--json", "no/such/x.json"], "no/such is no folder to write x.json"),
    ],
)
def test_the_command_refuses_what_cannot_be_played_with_a_sentence(
    words: list[str],
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(monkeypatch, *words) == evaluate.REFUSED
    assert sentence in " ".join(capsys.readouterr().err.split())


@plays_deals
def test_the_command_keeps_results_when_an_agent_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(AGENTS, "faulty", lambda: Faulty("raises"))
    file = tmp_path / "out.json"
    code = run(monkeypatch, "greedy", "faulty", "--seed", "7", "--deals", "40", "--json", str(file))
    assert code == evaluate.FAILED
    match = json.loads(file.read_text())["matches"][0]
    assert 0 < match["deals"] < 40
    assert match["fault"].startswith(f"agent faulty, deal {match['deals']}, decision ")
    assert match["fault"] in capsys.readouterr().err


@plays_deals
def test_an_interrupt_keeps_the_results_so_far(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(AGENTS, "faulty", lambda: Faulty("interrupts"))
    monkeypatch.setattr(Faulty, "deals_at_once", 1, raising=False)
    file, records, report = (tmp_path / name for name in ("out.json", "out.jsonl", "report"))
    words = ["greedy", "faulty", "--seed", "7", "--deals", "40", "--json", str(file)]
    words += ["--records", str(records), "--report", str(report), "--workers", "1"]
    assert run(monkeypatch, *words) == evaluate.INTERRUPTED
    deals = json.loads(file.read_text())["matches"][0]["deals"]
    assert 0 < deals < 40
    assert len(list(load_records(records))) == 2 * deals
    assert "Interrupted: these are the results so far." in (report / "index.html").read_text()
    assert "interrupted; these are the results so far" in capsys.readouterr().err


class Reader(RandomAgent):
    """Plays at random, and reads meanwhile how many deals the JSON holds."""

    deals_at_once = 1

    def __init__(self, file: Path) -> None:
        self.file = file
        self.seen: set[int] = set()

    def act(self, *arrays: Any) -> npt.NDArray[np.int64]:
        if self.file.exists():
            matches = json.loads(self.file.read_text())["matches"]
            self.seen.add(matches[0]["deals"] if matches else 0)
        return super().act(*arrays)


@plays_deals
def test_the_json_is_written_while_a_long_match_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "out.json"
    reader = Reader(file)
    monkeypatch.setitem(AGENTS, "reader", lambda: reader)
    monkeypatch.setattr(evaluate, "SAVE_SECONDS", 0)
    words = ["greedy", "reader", "--deals", "4", "--json", str(file), "--workers", "1"]
    assert run(monkeypatch, *words) == 0
    assert reader.seen == {0, 1, 2, 3}
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]


@plays_deals
def test_names_are_printed_as_they_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(AGENTS, "[/red]", RandomAgent)
    assert run(monkeypatch, "[/red]", "greedy", "--deals", "2", "--preset", "mini") == 0
    assert "[/red] v greedy" in capsys.readouterr().out


@plays_deals
def test_an_interrupt_before_the_first_deal_leaves_empty_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(AGENTS, "faulty", lambda: Faulty("interrupts", jokers=0))
    file, report = tmp_path / "out.json", tmp_path / "report"
    words = ["greedy", "faulty", "--json", str(file), "--report", str(report), "--workers", "1"]
    assert run(monkeypatch, *words) == evaluate.INTERRUPTED
    found = json.loads(file.read_text())
    assert found["matches"] == []
    assert [row["rating"] for row in found["ratings"]] == [None, None]
    assert (report / "index.html").exists()


@plays_deals
def test_one_agent_alone_plays_the_baselines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "out.json"
    for name in ("greedy", "random"):
        others = [other for other in baselines() if other != name]
        assert run(monkeypatch, name, "--deals", "2", "--json", str(file)) == 0
        found = json.loads(file.read_text())
        assert [(m["a"], m["b"]) for m in found["matches"]] == [(name, other) for other in others]
        said = capsys.readouterr().err
        assert f"{name} plays against the baselines: {', '.join(others)}" in said


@plays_deals
def test_partners_are_compared_with_two_of_the_partner_on_the_same_deals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "out.json"
    words = ["greedy", "random", "--partners", "random", "--deals", "6", "--seed", "3"]
    assert run(monkeypatch, *words, "--json", str(file)) == 0
    found = json.loads(file.read_text())
    assert [(m["a"], m["b"]) for m in found["matches"]] == [("greedy", "random")]
    (row,) = found["partners"]
    assert (row["agent"], row["partner"], row["opponent"]) == ("greedy", "random", "random")
    where = Arena(Rules.preset("italian"), seed=3)
    mixed = play(where, (GREEDY, RANDOM), RANDOM, 6).differences.mean(axis=1)
    assert row["mean_points"] == mixed.mean()
    assert (row["partner_alone"], row["partner_alone_ci95"]) == (0, [0, 0])
    assert row["added"] == mixed.mean() > 100
    assert row["added_ci95"] == row["ci95"]
    assert "two of the partner" in capsys.readouterr().out

    words[1] = "greedy:"  # now the partner is another one than the opponent
    monkeypatch.setattr(evaluate, "make_agent", lambda text: make_agent(text.rstrip(":")))
    assert run(monkeypatch, *words, "--json", str(file)) == 0
    rows = json.loads(file.read_text())["partners"]
    assert [(row["agent"], row["opponent"]) for row in rows] == [
        ("greedy", "greedy:"), ("greedy:", "greedy"),
    ]  # fmt: skip
    mixed = play(where, (GREEDY, RANDOM), GREEDY, 6).differences.mean(axis=1)
    alone = play(where, RANDOM, GREEDY, 6).differences.mean(axis=1)
    added = statistics.mean_over_deals(mixed - alone)
    for row in rows:
        assert row["partner_alone"] == alone.mean()
        assert row["added"] == pytest.approx(added.mean)
        assert row["added_ci95"] == pytest.approx(list(added.interval))


def test_importing_the_arena_and_the_command_loads_no_heavy_library() -> None:
    code = "import agents.arena, evaluate, sys; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    loaded = set(done.stdout.decode().split())
    assert "agents.arena" in loaded
    assert not loaded & {
        "matplotlib",
        "scipy.stats",
        "torch",
        "choix",
    }  # numba asks for scipy itself
