"""Records of deals: written, read back, replayed; a wrong one is refused with a sentence."""

from __future__ import annotations

import dataclasses
import json
import random
from pathlib import Path
from typing import Any

import pytest

from burraco_env import Game, Record, RecordError, Rules, dump_records, load_records
from tests.play import GAME_IDS, GAMES, play_on
from tests.positions import after, game

pytestmark = [pytest.mark.nojit, pytest.mark.boundscheck]


def played(preset: str, seats: int | None = None, seed: int = 1, **overrides: Any) -> Game:
    """A finished random deal."""
    deal = Game.deal(Rules.preset(preset, seats, **overrides), seed=seed)
    *_, end = play_on(deal, random.Random(seed))
    return end


@pytest.fixture(scope="module")
def record() -> Record:
    """A record of a short deal."""
    return played("mini", seed=4).record(["Anna", "Bruno"])


@pytest.mark.parametrize(("name", "seats"), GAMES, ids=GAME_IDS)
def test_a_record_replays_to_the_same_deal(name: str, seats: int) -> None:
    end = played(name, seats, max_turns=30)
    record = end.record()
    again = Record.from_json(json.loads(json.dumps(record.to_json())))
    assert again == record
    replayed = again.replay()
    assert replayed.position() == end.position()
    assert replayed.decisions == end.decisions
    assert replayed.points() == end.points()


def test_a_record_is_the_object_of_the_notation(record: Record) -> None:
    data = record.to_json()
    assert list(data) == [
        "format", "rules", "deck", "dealer", "players", "decisions", "outcome", "points",
    ]  # fmt: skip
    assert data["format"] == "burraco-record/1"
    assert data["rules"] == {"preset": "mini", "seats": 2, "overrides": {}}
    assert len(data["deck"].split()) == 29
    assert data["players"] == ["Anna", "Bruno"]
    assert data["decisions"][0] in ("draw", "pickup")
    assert data["outcome"] in ("closed", "exhausted", "stalemate")
    assert all(type(points) is int for points in data["points"])


def test_a_record_names_the_seats_if_nobody_else_does() -> None:
    assert played("mini").record().players == ("seat 0", "seat 1")


def test_a_record_keeps_overrides() -> None:
    record = played("mini", jokers=2, max_turns=5).record()
    assert record.to_json()["rules"]["overrides"] == {"jokers": 2, "max_turns": 5}
    assert record.replay().turn <= 5


def test_records_are_dumped_one_a_line_and_loaded(tmp_path: Path) -> None:
    records = [played("mini", seed=seed).record([f"Zoè {seed}", "Bruno"]) for seed in range(3)]
    path = tmp_path / "deals.jsonl"
    assert dump_records(records, path) == 3
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 3
    assert json.loads(lines[1])["players"] == ["Zoè 1", "Bruno"]
    assert list(load_records(path)) == records


def test_records_empty_lines_are_skipped(tmp_path: Path, record: Record) -> None:
    path = tmp_path / "deals.jsonl"
    dump_records([record, record], path)
    path.write_text("\n" + path.read_text(encoding="utf-8").replace("\n", "\n\n"), encoding="utf-8")
    assert list(load_records(path)) == [record, record]


@pytest.mark.parametrize("line", ["{", "[]", '{"format": "burraco-record/1"}'])
def test_records_a_line_that_is_no_record_is_named(
    tmp_path: Path, record: Record, line: str
) -> None:
    path = tmp_path / "deals.jsonl"
    dump_records([record], path)
    path.write_text(path.read_text(encoding="utf-8") + line + "\n", encoding="utf-8")
    records = load_records(path)
    assert next(records) == record
    with pytest.raises(RecordError, match=r"line 2 of .*deals\.jsonl: "):
        next(records)


def refused(record: Record, index: int | None, sentence: str, **change: Any) -> None:
    with pytest.raises(RecordError, match=sentence) as caught:
        dataclasses.replace(record, **change).replay()
    assert caught.value.index == index
    if index is not None:
        assert str(caught.value).startswith(f"decision {index}: ")


@pytest.mark.parametrize("where", [0, 1, 7])
@pytest.mark.parametrize("wrong", ["pass", "discard Ks", "wild 2s", ""])
def test_a_wrong_decision_is_refused_with_its_index(record: Record, where: int, wrong: str) -> None:
    decisions = list(record.decisions)
    decisions[where] = wrong
    refused(record, where, "cannot", decisions=tuple(decisions))


def test_the_first_wrong_decision_counts(record: Record) -> None:
    decisions = list(record.decisions)
    decisions[5] = decisions[3] = "pass"
    refused(record, 3, "cannot 'pass'", decisions=tuple(decisions))


def test_a_decision_left_out_makes_a_later_one_wrong(record: Record) -> None:
    assert record.decisions[0].startswith(("draw", "pickup"))
    refused(record, 0, "belongs to phase play", decisions=record.decisions[1:])


def test_a_deal_that_is_not_over_is_refused(record: Record) -> None:
    end = len(record.decisions) - 1
    refused(record, end, "end before the deal is over", decisions=record.decisions[:-1])


def test_a_decision_after_the_end_is_refused(record: Record) -> None:
    end = len(record.decisions)
    refused(record, end, "the deal is over", decisions=(*record.decisions, "draw"))


def test_a_wrong_outcome_is_refused(record: Record) -> None:
    other = "stalemate" if record.outcome != "stalemate" else "closed"
    sentence = f"the outcome is {record.outcome}, not {other}"
    refused(record, len(record.decisions), sentence, outcome=other)


def test_wrong_points_are_refused(record: Record) -> None:
    wrong = (record.points[0] + 5, record.points[1])
    sentence = rf"the points are \[.*\], not \[{wrong[0]}, {wrong[1]}\]"
    refused(record, len(record.decisions), sentence, points=wrong)


def test_a_wrong_deck_is_refused(record: Record) -> None:
    cards = record.deck.split()
    refused(record, None, "the deck cannot be dealt: .* 29 cards", deck=" ".join(cards[1:]))
    refused(record, None, "'Xx' is no card", deck=" ".join(["Xx", *cards[1:]]))
    swapped = " ".join(cards[::-1])
    with pytest.raises(RecordError):
        dataclasses.replace(record, deck=swapped).replay()


@pytest.mark.parametrize("dealer", [2, -1, None, "0"])
def test_a_wrong_dealer_is_refused(record: Record, dealer: Any) -> None:
    refused(record, None, "dealer must be a seat from 0 to 1", dealer=dealer)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"format": "burraco-record/2"}, "format must be 'burraco-record/1', not"),
        ({"rules": {"preset": "venetian"}}, "rules: unknown preset 'venetian'"),
        ({"rules": None}, "rules: rules must be an object"),
        ({"players": ["Anna"]}, "players must name 2 seats, not 1"),
        ({"players": "Anna"}, "players must be a list of texts, not 'Anna'"),
        ({"players": ["Anna", 2]}, "players must be a list of texts"),
        ({"decisions": "draw"}, "decisions must be a list of texts, not 'draw'"),
        ({"decisions": ["draw", None]}, "decisions must be a list of texts"),
        ({"deck": ["3c"]}, r"deck must be a text of cards, not \['3c'\]"),
        ({"points": 5}, "points must be a list of whole numbers, not 5"),
        ({"points": [5, "5"]}, "points must be a list of whole numbers"),
        ({"points": [5, 5.0]}, "points must be a list of whole numbers"),
        ({"winner": 0}, "unknown key 'winner'"),
    ],
)
def test_another_object_is_no_record(record: Record, change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(RecordError, match=sentence):
        Record.from_json(record.to_json() | change)


def test_all_missing_keys_are_named(record: Record) -> None:
    data = record.to_json()
    del data["deck"], data["points"]
    with pytest.raises(RecordError, match="deck is missing; points is missing"):
        Record.from_json(data)


@pytest.mark.parametrize("data", [None, "draw", 3, []])
def test_a_record_is_an_object(data: Any) -> None:
    with pytest.raises(RecordError, match="a record is an object with the keys format, rules"):
        Record.from_json(data)


def test_a_deal_that_is_not_over_has_no_record() -> None:
    with pytest.raises(RecordError, match="the deal is not over"):
        Game.deal(Rules.preset("mini"), seed=1).record()


def test_a_game_that_began_at_a_position_has_no_record() -> None:
    start = game(hand="Kc Qd", stock=2)
    with pytest.raises(RecordError, match="did not begin with a deal has no record"):
        after(start, "discard Kc").record()
