"""The trainer: its kernels against naive ones, resuming, killing, refusing, and that it learns."""

from __future__ import annotations

import json
import pickle
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("safetensors", reason="needs the extra train")

import torch
from safetensors.numpy import save

from agents import head as heads
from agents.action_features import FEATURE_UNIT, write_action_features
from agents.checkpoints import CHECKPOINT_FILE, CheckpointError, load_checkpoint
from agents.collection import NETWORK, estimate_advantages, new_rows
from agents.expert import ExpertAgent, score_and_note
from agents.head import Legal
from agents.learned import LearnedAgent, find_weights, load_agent, load_policy
from agents.network import Judge, Network
from agents.options import Args
from agents.ppo import Trainer
from agents.registry import make_agent
from agents.runs import LAST, METRICS_FILE, Run, checkpoint_layout, train
from agents.valuation import NOTES_DTYPE, NUM_ACTION_FEATURES
from burraco_env import NUM_ACTIONS, Batch, Rules
from burraco_env.rules import seat_counts
from tests.test_features import features_of

ROOT = Path(__file__).parents[1]


def small(out: Path, **options: Any) -> Args:
    """A run of a few seconds."""
    values: dict[str, Any] = {
        "preset": "mini", "decisions": 4_000, "out": out, "games": 32, "batch": 1024,
        "minibatch": 256, "hidden": (16,), "threads": 1, "bf16": False, "snapshots": 2,
        "snapshot_updates": 1, "critic_updates": 1, "watch_batches": 2, "watch_deals": 4,
        "test_deals": 4,
    }  # fmt: skip
    return Args(**{**values, **options})


def go_on(run: Run, updates: int) -> list[dict[str, Any]]:
    """Some updates of a run, as `Run.go_on` does do them; leaves a checkpoint."""
    lines: list[dict[str, Any]] = []

    def report(_: Run, line: dict[str, Any]) -> bool:
        lines.append(line)
        return len(lines) < updates

    run.go_on(report)
    return lines


def random_legal(rng: np.random.Generator, rows: int, most: int) -> Legal:
    ids = np.stack([rng.choice(NUM_ACTIONS, most, replace=False) for _ in range(rows)])
    scores = rng.normal(size=(rows, most)).astype(np.float32)
    features = rng.integers(-127, 128, (rows, most, NUM_ACTION_FEATURES)).astype(np.int8)
    counts = rng.integers(1, most + 1, rows).astype(np.int16)
    return Legal(ids.astype(np.int16), scores, features, counts)


def factors_of(legal: Legal, row: int) -> npt.NDArray[np.float64]:
    """What the factors of the row's legal actions are multiplied by, float64[count, factors]."""
    count = legal.counts[row]
    scores = legal.scores[row, :count] * heads.PRIOR_SCALES[heads.KINDS[legal.ids[row, :count]]]
    return np.column_stack([scores, legal.features[row, :count] / FEATURE_UNIT])


@pytest.mark.parametrize("parts", [1, 3])
def test_the_head_and_its_gradients_agree_with_a_masked_softmax(parts: int) -> None:
    rng = np.random.default_rng(3)
    rows, most, size = 7, 5, 6
    all_factors = heads.NUM_KINDS * heads.NUM_FACTORS
    legal = random_legal(rng, rows, most)
    legal.counts[0] = 1
    chosen = (rng.random(rows) * legal.counts).astype(np.int16)
    inputs = [
        rng.normal(size=shape)
        for shape in (
            (rows, size),
            (NUM_ACTIONS, size),
            NUM_ACTIONS,
            (all_factors, size),
            all_factors,
        )
    ]
    weights = torch.from_numpy(rng.normal(size=(rows, 3)))
    reference = rng.normal(size=(rows, most)).astype(np.float32)

    def spread(function: Any, count: int) -> list[Any]:
        return [function(part, n) for n, part in enumerate(heads.chunks(count, parts))]

    exact = [torch.tensor(value, requires_grad=True) for value in inputs]
    hidden, weight, bias, factor_weight, factor_bias = exact
    logits = hidden @ weight.T + bias
    factors = (hidden @ factor_weight.T + factor_bias).view(rows, heads.NUM_KINDS, -1)
    wanted = []
    for row in range(rows):
        ids = torch.from_numpy(legal.ids[row, : legal.counts[row]].astype(np.int64))
        seen = torch.from_numpy(factors_of(legal, row))
        kinds = torch.from_numpy(heads.KINDS)[ids]
        logs = (logits[row, ids] + (factors[row, kinds] * seen).sum(1)).log_softmax(0)
        near = torch.from_numpy(reference[row, : legal.counts[row]].astype(np.float64))
        entropy, divergence = -(logs.exp() * logs).sum(), (logs.exp() * (logs - near)).sum()
        wanted.append(torch.stack([logs[int(chosen[row])], entropy, divergence]))
    expected = torch.stack(wanted)
    (expected * weights).sum().backward()

    single = [torch.tensor(value, dtype=torch.float32, requires_grad=True) for value in inputs]
    found = Judge.apply(*single, legal, chosen, reference, spread)
    (found * weights.float()).sum().backward()
    torch.testing.assert_close(found, expected.float(), rtol=1e-4, atol=1e-5)
    for mine, theirs in zip(single, exact, strict=True):
        assert mine.grad is not None
        assert theirs.grad is not None
        torch.testing.assert_close(mine.grad, theirs.grad.float(), rtol=1e-4, atol=1e-4)


def test_choices_follow_their_probabilities() -> None:
    rows = 6_000
    legal = Legal(
        np.tile(np.arange(3, dtype=np.int16), (rows, 1)),
        np.zeros((rows, 3), np.float32),
        np.zeros((rows, 3, NUM_ACTION_FEATURES), np.int8),
        np.full(rows, 3, np.int16),
    )
    bias = np.zeros(NUM_ACTIONS, np.float32)
    bias[:3] = np.log([0.2, 0.5, 0.3])
    head = heads.zero_head(2)._replace(bias=bias)
    rng = np.random.default_rng(0).integers(2**63, size=rows).astype(np.uint64)
    chosen, logs = np.zeros(rows, np.int16), np.zeros(rows, np.float32)
    heads.choose(np.zeros((rows, 2), np.float32), head, legal, rng, chosen, logs)
    shares = np.bincount(chosen, minlength=3) / rows
    assert np.abs(shares - (0.2, 0.5, 0.3)).max() < 5 * np.sqrt(0.25 / rows)
    np.testing.assert_allclose(logs, bias[chosen], atol=1e-5)


def test_advantages_agree_with_a_sum_over_each_seats_decisions() -> None:
    rng = np.random.default_rng(1)
    rows, count = new_rows(12, 1), 12
    values = rng.normal(size=count).astype(np.float32)
    chains = [[0, 3, 4, 9], [1, 2, 8], [5, 6, 7, 10, 11]]  # the second one goes on later
    rows.following[:] = -1
    for chain in chains:
        rows.following[chain[:-1]] = chain[1:]
    for last, reward in ((9, 1.5), (11, -0.5)):
        rows.ended[last], rows.reward[last] = 1, reward
    found = np.zeros(count, np.float32)
    estimate_advantages(rows, values, 0.9, found)
    for chain in chains:
        ends = bool(rows.ended[chain[-1]])
        after = [*values[chain[1:]], rows.reward[chain[-1]] if ends else values[chain[-1]]]
        steps = [later - now for later, now in zip(after, values[chain], strict=True)]
        for at, row in enumerate(chain):
            wanted = sum(0.9**k * step for k, step in enumerate(steps[at:]))
            assert found[row] == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_rows_are_the_choices_of_the_seats_that_learn(tmp_path: Path, seats: int) -> None:
    args = small(tmp_path, preset="italian", seats=seats, batch=8192,
                 mixture=("self=0.5", "greedy=0.25", "snapshots=0.25"))  # fmt: skip
    trainer = Trainer(args)
    trainer.update()
    trainer.collect()
    rows, games = trainer.rows, args.games
    assert (rows.counts >= 2).all()
    assert set(np.unique(rows.to_act)) == {0, 1}
    linked = np.flatnonzero(rows.following >= 0)
    assert (rows.following[linked] > linked).all()
    assert (rows.following[linked] % games == linked % games).all()
    assert len(np.unique(rows.following[linked])) == len(linked)
    assert (rows.to_act[linked] == 0).all()
    assert not (rows.ended[linked]).any()
    ended = np.flatnonzero(rows.ended)
    assert len(ended) > 50
    assert (rows.to_act[ended] == 0).all()
    # About half of the deals have the network in all seats: there the rewards add up to nothing.
    full = (trainer.tables["policies"][:, :seats] == NETWORK).all(axis=1)
    assert 0.1 < full.mean() < 0.9


def test_rewards_are_the_points_of_the_deal(tmp_path: Path) -> None:
    trainer = Trainer(small(tmp_path, mixture=("self=1",), games=1, batch=2048))
    trainer.collect()
    rewards = trainer.rows.reward[trainer.rows.ended != 0]
    pairs = rewards[: len(rewards) // 2 * 2].reshape(-1, 2)
    assert len(pairs) > 20
    assert (np.abs(pairs) > 0.02).mean() > 0.9
    # Both seats of a deal of two end one behind the other, with opposite rewards.
    opposite = (np.abs(pairs.sum(axis=1)) < 1e-6).mean()
    shifted = rewards[1 : len(rewards) // 2 * 2 - 1].reshape(-1, 2)
    assert max(opposite, (np.abs(shifted.sum(axis=1)) < 1e-6).mean()) > 0.9


@pytest.mark.parametrize("inputs", ["features", "observation"])
def test_training_starts_at_the_expert(tmp_path: Path, inputs: str) -> None:
    trainer = Trainer(small(tmp_path, inputs=inputs))
    agent = LearnedAgent(trainer.policy())
    batch = Batch(Rules.preset("italian"), 64, seed=3)
    rng = np.zeros(64, np.uint64)
    same = total = 0
    for _ in range(80):
        rows = np.flatnonzero(batch.counts)
        wanted = ExpertAgent().act(batch.observations[rows], batch.masks[rows], rng[rows])
        chosen = agent.act(batch.observations[rows], batch.masks[rows], rng[rows])
        same, total = same + int((wanted == chosen).sum()), total + len(rows)
        batch.step(wanted, rows)
        batch.deal(rows=np.flatnonzero(batch.over))
    assert same / total > 0.995  # scores beyond the limit may tie


@pytest.mark.parametrize(
    ("inputs", "prior"), [("features", "expert"), ("features", "none"), ("observation", "none")]
)
def test_acting_without_torch_agrees_with_the_network(
    tmp_path: Path, inputs: str, prior: str
) -> None:
    trainer = Trainer(
        small(tmp_path, preset="italian", inputs=inputs, prior=prior, hidden=(32, 24))
    )
    with torch.no_grad():
        for layer in (trainer.network.head, trainer.network.body.layers[0]):
            layer.weight.normal_(0, 0.05)
            layer.bias.normal_(0, 0.1)
        if prior == "expert":
            trainer.network.factors.bias.uniform_(-0.5, 2)
            trainer.network.factors.weight.normal_(0, 0.05)
    Run(trainer).watch()
    agent = load_agent(tmp_path)
    batch = Batch(Rules.preset("italian"), 128, seed=3)
    for _ in range(50):
        batch.step_random()
    rows = np.flatnonzero(batch.counts > 1)
    check_logits(agent, trainer.network, batch, rows, trainer.parameters[0], inputs)


def check_logits(
    agent: LearnedAgent,
    network: Network,
    batch: Batch,
    rows: npt.NDArray[np.int64],
    parameters: npt.NDArray[np.float64],
    inputs: str = "features",
) -> None:
    """Compare the logits of the agent, which works without torch, with those of the network."""
    found = agent.logits(batch.observations[rows], batch.masks[rows])
    seen = batch.observations[rows]
    if inputs == "features":
        seen = features_of(batch, parameters)[1][rows]
    legal = batch.masks[rows] == 1
    with torch.no_grad():
        hidden = network.body(torch.from_numpy(seen))
        wanted = network.head(hidden).numpy()
        factors = network.factors(hidden).numpy().reshape(len(rows), heads.NUM_KINDS, -1)
    if inputs == "features":
        judged = judged_actions(batch, rows, parameters)
        wanted += (factors[:, heads.KINDS] * judged).sum(axis=2)
    np.testing.assert_allclose(found[legal], wanted[legal], atol=1e-5, rtol=1e-5)
    assert (found[~legal] == -np.inf).all()


def judged_actions(
    batch: Batch, rows: npt.NDArray[np.int64], parameters: npt.NDArray[np.float64]
) -> npt.NDArray[np.float32]:
    """What the factors are multiplied by, float32[n, NUM_ACTIONS, NUM_FACTORS]."""
    notes = np.zeros(1, dtype=NOTES_DTYPE)[0]
    out = np.zeros((len(rows), NUM_ACTIONS, heads.NUM_FACTORS), np.float32)
    described = np.zeros(NUM_ACTION_FEATURES, np.int8)
    for index, row in enumerate(rows):
        observation, mask = batch.observations[row], batch.masks[row]
        score_and_note(observation, mask, parameters, notes)
        for action in np.flatnonzero(mask):
            write_action_features(observation, notes, action, described)
            score = heads.prior_score(notes["scores"][action])
            out[index, action, 0] = score * heads.PRIOR_SCALES[heads.KINDS[action]]
            out[index, action, 1:] = described / FEATURE_UNIT
    return out


def without_times(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{k: v for k, v in line.items() if k not in ("charts/SPS", "seconds")} for line in lines]


def test_a_resumed_run_goes_on_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    straight = go_on(Run.started(small(tmp_path / "a")), 99)
    first = go_on(Run.started(small(tmp_path / "b")), 2)
    second = go_on(Run.resumed(tmp_path / "b"), 99)
    assert len(second) >= 2
    assert without_times(first + second) == without_times(straight)
    (left, state), (right, other) = (
        load_checkpoint(tmp_path / name, checkpoint_layout()) for name in "ab"
    )
    assert left.keys() == right.keys()
    for name in left:
        assert (left[name] == right[name]).all(), name
    assert state["best"] == other["best"]
    for key in ("updates", "decisions", "snapshots"):
        assert state["trainer"][key] == other["trainer"][key]
    texts = [(tmp_path / name / METRICS_FILE).read_text().splitlines() for name in "ab"]
    assert without_times([json.loads(t) for t in texts[0]]) == without_times(
        [json.loads(t) for t in texts[1]]
    )


def test_metrics_behind_the_checkpoint_are_forgotten(tmp_path: Path) -> None:
    go_on(Run.started(small(tmp_path)), 1)
    whole = (tmp_path / METRICS_FILE).read_text()
    with (tmp_path / METRICS_FILE).open("a") as file:
        file.write('{"updates": 2}\n{"upd')  # a kill in the middle of a line
    Run.resumed(tmp_path)
    assert (tmp_path / METRICS_FILE).read_text() == whole


def test_no_checkpoint_is_lost_when_writing_one_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run.started(small(tmp_path))
    go_on(run, 1)
    whole = (tmp_path / CHECKPOINT_FILE).read_bytes()

    def fail(_: int) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr("agents.files.os.fsync", fail)
    with pytest.raises(OSError, match="no space left"):
        run.save()
    assert (tmp_path / CHECKPOINT_FILE).read_bytes() == whole


def test_what_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"is no run folder with checkpoint\.safetensors"):
        Run.resumed(tmp_path)
    go_on(Run.started(small(tmp_path)), 1)
    path = tmp_path / CHECKPOINT_FILE
    whole = path.read_bytes()
    with pytest.raises(CheckpointError, match=r"is for the layout .* and this is other"):
        load_checkpoint(tmp_path, "other")
    archive = tmp_path / "archive.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("data.pkl", pickle.dumps([1]))
    for broken in (whole[: len(whole) // 2], b"", pickle.dumps([print]), archive.read_bytes()):
        path.write_bytes(broken)
        with pytest.raises(CheckpointError, match="is no whole checkpoint"):
            Run.resumed(tmp_path)
    path.write_bytes(save({"a": np.zeros(1)}))
    with pytest.raises(CheckpointError, match="is no checkpoint of the format"):
        Run.resumed(tmp_path)


@pytest.mark.full
def test_a_run_that_is_killed_leaves_no_broken_file(tmp_path: Path) -> None:
    words = [sys.executable, "train.py", "--preset", "mini", "--decisions", "10000000", "--games",
             "32", "--batch", "1024", "--minibatch", "256", "--hidden", "16", "--threads", "1",
             "--save-minutes", "0.0001", "--watch-batches", "3", "--watch-deals", "2",
             "--out", str(tmp_path)]  # fmt: skip
    rng = np.random.default_rng(0)
    updates = 0
    for attempt in range(5):
        with (tmp_path / "log").open("w") as log:
            process = subprocess.Popen(words, cwd=ROOT, stdout=log, stderr=log)
        seen, deadline = updates, time.monotonic() + 300
        while seen <= updates and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.2)
            if (tmp_path / CHECKPOINT_FILE).exists():
                seen = load_checkpoint(tmp_path, checkpoint_layout())[1]["trainer"]["updates"]
        assert process.poll() is None, (tmp_path / "log").read_text()
        time.sleep(rng.random())
        process.send_signal(signal.SIGKILL)
        process.wait()
        after = load_checkpoint(tmp_path, checkpoint_layout())[1]["trainer"]["updates"]
        assert after >= seen > updates
        lines = (tmp_path / METRICS_FILE).read_text().splitlines()
        assert len(lines) <= after + 2  # at most one checkpoint interval is lost
        if (tmp_path / "weights.json").exists():
            load_policy(tmp_path)
        updates = after
        words = [sys.executable, "train.py", "--resume", str(tmp_path)]
        assert attempt < 5


def test_ctrl_c_saves_and_says_how_to_resume(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    update = Trainer.update

    def interrupted(trainer: Trainer) -> dict[str, float]:
        signal.raise_signal(signal.SIGINT)
        return update(trainer)

    monkeypatch.setattr(Trainer, "update", interrupted)
    train(small(tmp_path))
    printed = " ".join(capsys.readouterr().out.split())
    assert "interrupted: saving after this batch" in printed
    assert "--resume" in printed
    assert load_checkpoint(tmp_path, checkpoint_layout())[1]["trainer"]["updates"] == 1


def test_a_run_leaves_weights_that_play_and_others_can_start_from(tmp_path: Path) -> None:
    out = train(small(tmp_path / "a", tensorboard=True))
    assert isinstance(make_agent(str(out)), LearnedAgent)
    assert list(out.glob("events.out.tfevents.*"))
    lines = [json.loads(line) for line in (out / METRICS_FILE).read_text().splitlines()]
    assert lines[-1]["decisions"] >= 4_000
    assert {"expert", "greedy", "losses/approx_kl", "charts/SPS"} <= lines[-1].keys()
    again = Trainer(small(tmp_path / "b", init=str(out / LAST)))
    for (weight, bias), (old_weight, old_bias) in zip(
        again.policy().layers, load_policy(out / LAST).layers, strict=True
    ):
        np.testing.assert_allclose(weight, old_weight, rtol=1e-5)
        assert (bias == old_bias).all()
    with pytest.raises(ValueError, match="this network needs"):
        Trainer(small(tmp_path / "b", init=str(out), hidden=(8,)))
    with pytest.raises(ValueError, match="start with the same --prior"):
        Trainer(small(tmp_path / "b", init=str(out), prior="none"))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_run_can_start_from_the_champion(tmp_path: Path, seats: int) -> None:
    trainer = Trainer(
        small(tmp_path, init="champion", preset="italian", seats=seats, hidden=(128, 128))
    )
    shipped = load_policy(find_weights("champion", seats))
    for (weight, _), (shipped_weight, _) in zip(
        trainer.policy().layers, shipped.layers, strict=True
    ):
        np.testing.assert_allclose(weight, shipped_weight, rtol=1e-5)


def test_without_a_prior_scores_never_weigh_and_others_without_one_can_start_there(
    tmp_path: Path,
) -> None:
    out = train(small(tmp_path / "a", prior="none", decisions=2_000))
    factors = load_policy(out / LAST).factors
    assert factors is not None
    for array in factors:
        assert not array.reshape(heads.NUM_KINDS, heads.NUM_FACTORS, -1)[:, 0].any()
    assert factors[1].any()
    Trainer(small(tmp_path / "b", init=str(out / LAST), prior="none"))
    with pytest.raises(ValueError, match="start with the same --prior"):
        Trainer(small(tmp_path / "b", init=str(out / LAST)))


@pytest.mark.parametrize("rate", [-0.1, 1.5])
def test_a_row_rate_out_of_range_is_refused(tmp_path: Path, rate: float) -> None:
    with pytest.raises(ValueError, match=f"row_rate must be from 0 to 1, not {rate}"):
        small(tmp_path, row_rate=rate)


@pytest.mark.parametrize("agent", ["greedy", "random"])
def test_an_exploiter_reports_what_it_gains(tmp_path: Path, agent: str) -> None:
    out = train(small(tmp_path, exploit=agent, decisions=2_000))
    found = json.loads((out / "exploit.json").read_text())
    assert list(found) == [agent]
    assert "mean_points" in found[agent]


@pytest.mark.parametrize("objective", ["wins", "victory_points"])
def test_other_objectives_have_their_own_rewards(tmp_path: Path, objective: str) -> None:
    trainer = Trainer(small(tmp_path, objective=objective, preset="italian", batch=4096))
    trainer.collect()
    rewards = trainer.rows.reward[trainer.rows.ended != 0]
    assert len(rewards)
    if objective == "wins":
        assert set(rewards) <= {-1, 0, 1}
    else:
        assert (rewards == rewards.round()).all()
        assert np.abs(rewards).max() <= 10
    assert (trainer.rows.baseline == 0).all()


def test_imitation_brings_a_blank_network_near_the_expert(tmp_path: Path) -> None:
    trainer = Trainer(small(tmp_path, prior="none", batch=8192, games=128, hidden=(64,)))
    first, last = trainer.imitate(), [trainer.imitate() for _ in range(8)][-1]
    assert last["losses/imitation"] < 0.8 * first["losses/imitation"]


@pytest.mark.full
def test_it_learns_to_beat_greedy_on_mini(tmp_path: Path) -> None:
    run = Run.started(small(tmp_path, prior="none", decisions=400_000, games=256, batch=16_384,
                            minibatch=1024, hidden=(64, 64), watch_deals=1000,
                            watch_batches=1000, learning_rate=1e-3,
                            mixture=("self=0.5", "greedy=0.5")))  # fmt: skip
    before = run.watch()["greedy"]["mean_points"]
    after = go_on(run, 99)[-1]["greedy"]["mean_points"]
    assert after > before + 50


@pytest.mark.full
@pytest.mark.parametrize(
    ("preset", "seats"), [(name, n) for name in Rules.PRESET_NAMES for n in seat_counts(name)]
)
def test_every_game_can_be_trained_on(tmp_path: Path, preset: str, seats: int) -> None:
    out = train(small(tmp_path, preset=preset, seats=seats, decisions=1500))
    load_agent(out)


def test_one_network_for_all_games(tmp_path: Path) -> None:
    run = Run.started(small(tmp_path, preset="all", batch=16_384, games=256))
    go_on(run, 1)
    assert len({record.tobytes() for record in run.trainer.games["rules"]}) == 19


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"preset": "poker"}, "unknown preset 'poker'"),
        ({"minutes": 0.0, "decisions": None}, "minutes must be above 0, not 0"),
        ({"minutes": 1.0}, "give either minutes or decisions, not both"),
        ({"batch": 1000}, "batch must be a multiple of games, 32, not 1000"),
        ({"games": 0}, "games must be at least 1, not 0"),
        ({"mixture": ()}, "mixture must give a share above 0"),
        ({"mixture": ("self=-1", "greedy=2")}, "and none below 0"),
        ({"mixture": ("shark=1",)}, "unknown agent 'shark'"),
        ({"mixture": ("self",)}, "mixture must be of name=share, not 'self'"),
        ({"exploit": "shark"}, "unknown agent 'shark'"),
        ({"watch_agents": ()}, "watch_agents must name at least one agent"),
        ({"inputs": "pixels"}, "inputs must be one of features, observation, not 'pixels'"),
        ({"objective": "fun"}, "objective must be one of points, wins, victory_points, not 'fun'"),
        ({"seed": 1_000_003}, "seed 1000003 is set apart"),
    ],
)
def test_what_cannot_be_trained_is_refused(
    tmp_path: Path, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        small(tmp_path, **options)
