"""`train.py`: a short run writes a run folder that plays (needs the extra `train`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra train")

from agents.learned import LearnedAgent
from agents.registry import make_agent
from agents.sb3_training import Args, train


def test_a_short_run_leaves_config_metrics_weights_and_tensorboard(tmp_path: Path) -> None:
    out = tmp_path / "run"
    args = Args(
        preset="mini", minutes=0.05, out=out, num_envs=16, n_steps=16, batch_size=64,
        hidden=(16,), snapshot_updates=1, watch_seconds=1.0, watch_deals=4,
    )  # fmt: skip
    assert train(args) == out
    assert json.loads((out / "config.json").read_text())["preset"] == "mini"
    lines = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    assert lines[-1]["decisions"] > 0
    for name in ("random", "greedy"):
        low, high = lines[-1][name]["ci95"]
        assert low <= lines[-1][name]["mean_points"] <= high
    assert list(out.glob("events.out.tfevents.*"))
    assert isinstance(make_agent(str(out)), LearnedAgent)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"preset": "poker"}, "unknown preset 'poker'"),
        ({"minutes": 0.0}, "minutes must be above 0, not 0"),
        ({"num_envs": 0}, "num_envs must be at least 1, not 0"),
        ({"opponents": ()}, "opponents must name at least one agent"),
        ({"opponents": ("self", "shark")}, "unknown agent 'shark'"),
    ],
)
def test_what_cannot_be_trained_is_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Args(**options)
