"""Learning curves of run folders, and what makes a run the champion."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra train")

from agents import shipping
from agents.learned import CHAMPION, find_weights
from agents.runs import CONFIG_FILE, METRICS_FILE
from agents.seeds import TEST
from benchmarks import learning_curves
from benchmarks.learning_curves import Args, check_options, read_curve, table
from burraco_env import Rules


def a_run(folder: Path, points: list[float], **options: Any) -> Path:
    """A run that was played against `expert` once a minute, a million decisions apart."""
    folder.mkdir()
    (folder / CONFIG_FILE).write_text(json.dumps({"minutes": 9, "out": str(folder), **options}))
    lines: list[dict[str, Any]] = [{"seconds": 1, "decisions": 9}]
    for minute, mean in enumerate(points, start=1):
        seen = {"mean_points": mean, "ci95": [mean - 5, mean + 5]}
        lines.append({"seconds": 60 * minute, "decisions": minute * 10**6, "expert": seen})
    (folder / METRICS_FILE).write_text("\n".join(map(json.dumps, lines)))
    return folder


def test_curves_of_several_seeds_become_a_table_and_a_figure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = tuple(a_run(tmp_path / str(n), [10, 20 + n, 40 + 2 * n], seed=n) for n in range(3))
    curves = [read_curve(run, "expert") for run in runs]
    assert curves[1].tolist() == [[1, 1e6, 10, 5], [2, 2e6, 21, 5], [3, 3e6, 42, 5]]
    assert table(curves, rows=3)[-1] == (
        "| 3.0 | 3.0 | +40.0 ± 5.0, +42.0 ± 5.0, +44.0 ± 5.0 | +42.0 |"
    )
    assert len(table(curves, rows=50)) == 2 + 3  # none is told twice
    out = tmp_path / "figures" / "curves.png"
    learning_curves.main(Args(runs, out=out))
    assert out.read_bytes().startswith(b"\x89PNG")
    assert "| +42.0 |" in capsys.readouterr().out


def test_what_is_no_curve_is_refused(tmp_path: Path) -> None:
    one, other = (a_run(tmp_path / name, [1], batch=n) for n, name in enumerate("ab"))
    with pytest.raises(ValueError, match=r"differs from .* in batch"):
        check_options([one, other])
    with pytest.raises(ValueError, match="was not played against greedy"):
        read_curve(one, "greedy")
    with pytest.raises(ValueError, match=f"is no run folder with {METRICS_FILE}"):
        read_curve(tmp_path, "expert")


def test_the_card_of_a_champion_says_what_the_deals_said() -> None:
    found = shipping.measure(find_weights(CHAMPION, 4), Rules.preset("italian", 4), 30, 1)
    assert (found["deals"], found["seed"]) == (30, TEST.seed)
    for name in shipping.OPPONENTS:
        low, high = found["ci95"][name]
        assert low < found["points"][name] < high
        assert 0 <= found["win_rate"][name] <= 1
    assert np.isfinite(found["victory_points"]["expert"])


def test_only_a_network_of_the_champions_game_becomes_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for preset, seats in (("fitab", 4), ("italian", 3)):
        card = {"config": {"preset": preset, "seats": seats}}
        monkeypatch.setattr(shipping, "load_tensors", lambda _, card=card: (card, {}))
        with pytest.raises(ValueError, match=f"was trained on {preset} with {seats}"):
            shipping.ship(shipping.Args(tmp_path))
