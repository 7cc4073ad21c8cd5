"""Features say what the observation says: compared with a naive reading of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from agents.expert import table_row
from agents.features import NUM_FEATURES, SCALARS, SCALES, SEGMENTS, write_features
from agents.parameters import tuned
from agents.valuation import NOTES_DTYPE, take_notes
from burraco_env import Batch, Rules
from burraco_env._jit import row_kernel
from burraco_env.observations import describe, segment
from burraco_env.rules import seat_counts

GAMES = [(name, seats) for name in Rules.PRESET_NAMES for seats in seat_counts(name)]


@row_kernel
def _write(observations: Any, parameters: Any, notes: Any, out: Any) -> None:
    for row in range(observations.shape[0]):
        take_notes(observations[row], table_row(observations[row], parameters), notes[row])
        write_features(observations[row], notes[row], out[row])


def features_of(
    batch: Batch, parameters: npt.NDArray[np.float64] | None = None
) -> tuple[npt.NDArray[np.void], npt.NDArray[np.int8]]:
    """Notes and features of all games, by the parameters, float64[2, NUM_PARAMETERS]."""
    parameters = tuned() if parameters is None else parameters
    notes = np.zeros(len(batch.games), dtype=NOTES_DTYPE)
    out = np.full((len(batch.games), NUM_FEATURES), 99, np.int8)
    _write(batch.observations, parameters, notes, out)
    return notes, out


def part(features: npt.NDArray[np.int8], name: str) -> npt.NDArray[np.int64]:
    found = next(segment for segment in SEGMENTS if segment.name == name)
    return features[found.start : found.stop].astype(np.int64).reshape(found.shape)


def scalar(features: npt.NDArray[np.int8], name: str) -> int:
    return int(part(features, "scalars")[[known for known, _ in SCALARS].index(name)])


def naive_melds(observation: npt.NDArray[np.int8]) -> dict[str, npt.NDArray[np.int64]]:
    """Melds of both sides, read slot by slot in plain Python."""
    found = {
        "places": np.zeros((2, 4, 14), np.int64), "run_wilds": np.zeros((2, 4), np.int64),
        "run_length": np.zeros((2, 4), np.int64), "set_size": np.zeros((2, 12), np.int64),
        "set_wilds": np.zeros((2, 12), np.int64), "burrachi": np.zeros((2, 2), np.int64),
    }  # fmt: skip
    size = describe(observation)["rules"]["burraco_size"]
    runs, counts = segment(observation, "runs"), segment(observation, "run_counts")
    for suit in range(4):
        for slot, (lo, hi, wild, _) in enumerate(runs[suit]):
            if lo == 0:
                continue
            side = 0 if slot < counts[suit, 0] else 1
            found["places"][side, suit, lo - 1 : hi] += 1
            found["run_wilds"][side, suit] += wild > 0
            found["run_length"][side, suit] = max(found["run_length"][side, suit], hi - lo + 1)
            found["burrachi"][side, int(wild > 0)] += hi - lo + 1 >= size
    sets, counts = segment(observation, "sets"), segment(observation, "set_counts")
    for rank in range(12):
        for slot, (first, second, kind) in enumerate(sets[rank]):
            naturals = first % 3 + first // 3 + second % 3 + second // 3
            if naturals == 0:
                continue
            side, cards = 0 if slot < counts[rank, 0] else 1, naturals + (kind > 0)
            found["set_wilds"][side, rank] += kind > 0
            found["set_size"][side, rank] = max(found["set_size"][side, rank], cards)
            found["burrachi"][side, int(kind > 0)] += cards >= size
    return found


@pytest.mark.parametrize(
    ("preset", "seats"), [("italian", 4), ("italian", 3), ("fitab", 2), ("mini", 2)]
)
def test_features_agree_with_a_naive_reading_of_the_observation(preset: str, seats: int) -> None:
    batch = Batch(Rules.preset(preset, seats), 16, seed=5)
    for _ in range(60):
        notes, features = features_of(batch)
        for row in np.flatnonzero(batch.counts):
            seen, mine = batch.observations[row], features[row]
            hand = segment(seen, "hand")
            assert (part(mine, "hand") == hand).all()
            assert (part(mine, "hand_twice") == (hand >= 2)).all()
            assert (part(mine, "pile") == segment(seen, "pile")).all()
            assert (part(mine, "known") == segment(seen, "known")).all()
            assert (part(mine, "discards") == segment(seen, "discards")[[0, 2]].clip(0, 2)).all()
            for name, wanted in naive_melds(seen).items():
                assert (part(mine, name) == wanted).all(), name
            gains, near = notes[row]["gains"], notes[row]["near"]
            wanted = np.where(gains > 0, np.minimum(4 + gains / 2, 127).astype(np.int64), near)
            assert (part(mine, "gains") == wanted).all()
            words = describe(seen)
            assert scalar(mine, "stock") == words["stock"]
            assert scalar(mine, "my_cards") == words["hand_sizes"]["me"]
            assert scalar(mine, words["phase"]) == 1
            assert scalar(mine, "two_seats") == (seats == 2)
            assert scalar(mine, "no_return") == (words["no_return"] is not None)
            assert (part(mine, "took") == segment(seen, "taken")).all()
        batch.step_random()


@pytest.mark.parametrize(("preset", "seats"), GAMES)
def test_features_stay_in_their_bounds_in_every_game(preset: str, seats: int) -> None:
    batch = Batch(Rules.preset(preset, seats), 32, seed=1)
    high = np.concatenate([np.full(s.size, s.high) for s in SEGMENTS])
    for _ in range(40):
        _, features = features_of(batch)
        rows = np.flatnonzero(batch.counts)
        assert (features[rows] >= 0).all()
        assert (features[rows] <= high).all()
        batch.step_random()


def test_every_feature_has_a_scale_and_layout_is_gapless() -> None:
    assert SCALES.shape == (NUM_FEATURES,)
    assert (SCALES > 0).all()
    assert [part.start for part in SEGMENTS[1:]] == [part.stop for part in SEGMENTS[:-1]]
