"""A training run as a folder: watched on validation deals, saved, resumed, never half written.

| file | what it holds |
|---|---|
| config.json | the options |
| metrics.jsonl | a line for each update, with results on validation deals where it was watched |
| weights.safetensors, weights.json | the best policy so far, its critic, and their card |
| last/ | the same of the last policy that was watched |
| checkpoint.safetensors | all from which the run goes on |
| exploit.json | of `--exploit`: the result on test deals |
"""

from __future__ import annotations

import hashlib
import json
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn

from agents.arena import Arena, Entrant, Results, joined
from agents.checkpoints import CHECKPOINT_FILE, load_checkpoint, save_checkpoint
from agents.collection import OBJECTIVES, TABLE_DTYPE, deal_worth
from agents.files import append_line
from agents.learned import FEATURES, LearnedAgent, Policy, layout_hash, load_policy, save_weights
from agents.options import Args, training_rules
from agents.ppo import Trainer
from agents.registry import make_agent
from agents.seeds import TEST, VALIDATE
from agents.statistics import mean_over_deals, win_rate, wins
from burraco_env import Rules
from burraco_env.state import GAME_DTYPE

METRICS_FILE = "metrics.jsonl"
CONFIG_FILE = "config.json"
EXPLOIT_FILE = "exploit.json"
LAST = "last"
"""Folder of the last weights within a run folder, which holds the best ones."""


def checkpoint_layout() -> str:
    """Hash of what the arrays of a checkpoint depend on."""
    records = [str(dtype.descr) for dtype in (GAME_DTYPE, TABLE_DTYPE)]
    return hashlib.sha256("".join([layout_hash(FEATURES), *records]).encode()).hexdigest()[:16]


def summary(results: Results) -> dict[str, Any]:
    """Points a deal and wins of the first agent."""
    differences = results.differences.mean(axis=1)
    mean = mean_over_deals(differences)
    rate, _ = win_rate(wins(differences))
    return {"mean_points": mean.mean, "ci95": list(mean.interval), "win_rate": rate}


def meet(
    policy: Policy, opponent: str, rules: Rules, seed: int, deals: int, workers: int
) -> Results:
    """Play a trained policy, its most probable action, against an agent on duplicate deals."""
    arena = Arena(rules, seed, workers=workers)
    entrants = Entrant("learner", LearnedAgent(policy)), Entrant(opponent, make_agent(opponent))
    return joined(list(arena.play(*entrants, deals)))


def _worth(results: Results, objective: str) -> float:
    """What the first agent's deals were worth, by which the best weights are chosen."""
    worth = [deal_worth(lead, OBJECTIVES.index(objective)) for lead in results.differences.flat]
    return float(np.mean(worth))


class Run:
    """A trainer with its folder."""

    def __init__(self, trainer: Trainer) -> None:
        """Wrap a trainer; `resumed` goes on with a folder."""
        self.trainer = trainer
        self.args = trainer.args
        self.best: float | None = None
        self.watched_at: list[float] = [0, 0.0]

    @classmethod
    def started(cls, args: Args) -> Run:
        """A new run; what an earlier one left in the folder is removed."""
        args.out.mkdir(parents=True, exist_ok=True)
        for name in (METRICS_FILE, CHECKPOINT_FILE, EXPLOIT_FILE):
            (args.out / name).unlink(missing_ok=True)
        text = json.dumps(args.to_json(), indent=2)
        (args.out / CONFIG_FILE).write_text(text, encoding="utf-8")
        return cls(Trainer(args))

    @classmethod
    def resumed(cls, folder: Path, **changes: Any) -> Run:
        """Go on with the run of a folder from its last checkpoint.

        Args:
            folder: the run folder.
            **changes: options to replace, such as a longer time.

        Raises:
            CheckpointError: no checkpoint, or one that cannot be used.
        """
        arrays, state = load_checkpoint(folder, checkpoint_layout())
        args = replace(Args.from_json({**state["args"], "out": str(folder)}), **changes)
        run = cls(Trainer(args, fresh=False))
        run.trainer.restore(arrays, state["trainer"])
        run.best, run.watched_at = state["best"], state["watched_at"]
        metrics = folder / METRICS_FILE
        if metrics.exists():
            with metrics.open("r+b") as file:  # forget what came after the checkpoint
                file.truncate(state["metrics"])
        return run

    def save(self) -> None:
        """Write the checkpoint from which `resumed` goes on."""
        metrics = self.args.out / METRICS_FILE
        state = {
            "args": self.args.to_json(),
            "trainer": self.trainer.counters(),
            "best": self.best,
            "watched_at": self.watched_at,
            "metrics": metrics.stat().st_size if metrics.exists() else 0,
        }
        save_checkpoint(self.args.out, checkpoint_layout(), self.trainer.arrays(), state)

    def watch(self) -> dict[str, Any]:
        """Play the fixed agents on validation deals with the most probable action.

        Saves the weights as the last ones, and as the best if they are.
        """
        args, trainer, start = self.args, self.trainer, time.perf_counter()
        policy, critic = trainer.policy(), trainer.network.critic()
        found: dict[str, Any] = {}
        result = 0.0
        for name in args.watched:
            results = self._meet(policy, name, VALIDATE.seed, args.watch_deals)
            found[name] = summary(results)
            if name == args.watched[0]:
                result = _worth(results, args.objective)
        config = {**args.to_json(), "decisions_learned": trainer.decisions, "watched": found}
        save_weights(args.out / LAST, policy, config, critic)
        if self.best is None or result > self.best:
            self.best = result
            save_weights(args.out, policy, config, critic)
        trainer.seconds += time.perf_counter() - start
        self.watched_at = [trainer.updates, trainer.seconds]
        return found

    def _meet(self, policy: Policy, name: str, seed: int, deals: int) -> Results:
        return meet(policy, name, training_rules(self.args)[0], seed, deals, self.args.threads)

    def _must_watch(self) -> bool:
        trainer, (updates, seconds) = self.trainer, self.watched_at
        if trainer.progress >= 1:
            return True
        if self.args.decisions is not None:
            return trainer.updates - updates >= self.args.watch_batches
        return trainer.seconds - seconds >= 60 * self.args.watch_minutes

    def exploitability(self) -> str:
        """Play the best weights on deals of other seeds; a sentence, also in exploit.json."""
        args = self.args
        name = args.watched[0]
        found = summary(self._meet(load_policy(args.out), name, TEST.seed, args.test_deals))
        (args.out / EXPLOIT_FILE).write_text(json.dumps({name: found}, indent=2), encoding="utf-8")
        low, high = found["ci95"]
        return (
            f"{name} can be exploited by at least {found['mean_points']:+.1f} ± "
            f"{(high - low) / 2:.1f} points a deal ({args.test_deals:,} test deals)"
        )

    # The loop.

    def go_on(self, report: Report) -> bool:
        """Train to the end.

        Args:
            report: called after each update with a line of metrics; False ends the run early.

        Returns:
            Whether the end was reached.
        """
        args, trainer = self.args, self.trainer
        saved = trainer.seconds
        while trainer.cloned < 60 * args.clone_minutes:
            append_line(args.out / METRICS_FILE, trainer.imitate())
        while trainer.progress < 1:
            line: dict[str, Any] = {**trainer.update(), "updates": trainer.updates}
            line["decisions"] = trainer.decisions
            if self._must_watch():
                line |= self.watch()
            line |= {"seconds": round(trainer.seconds, 3), "progress": trainer.progress}
            append_line(args.out / METRICS_FILE, line)
            going = report(self, line)
            due = trainer.seconds - saved > 60 * args.save_minutes
            if due or not going or trainer.progress >= 1:
                self.save()
                saved = trainer.seconds
            if not going:
                return False
        return True


Report = Callable[[Run, dict[str, Any]], bool]


def _columns() -> tuple[ProgressColumn, ...]:
    return (BarColumn(), TimeElapsedColumn(), TextColumn("{task.fields[left]} left"),
            TextColumn("{task.fields[note]}"))  # fmt: skip


class _Report:
    """Progress bar, TensorBoard, and Ctrl-C, which ends a run after the batch at hand."""

    def __init__(self, run: Run, progress: Progress) -> None:
        self.progress = progress
        self.task = progress.add_task("train", total=1.0, left="-", note="collecting")
        self.points: dict[str, str] = {}
        self.stopping = False
        self.writer: Any = None
        if run.args.tensorboard:
            from torch.utils.tensorboard import SummaryWriter

            self.writer = SummaryWriter(str(run.args.out))

    def interrupt(self, *_: Any) -> None:
        """Handle SIGINT: the second one interrupts at once."""
        if self.stopping:
            raise KeyboardInterrupt
        self.stopping = True
        self.progress.console.print("interrupted: saving after this batch")

    def __call__(self, run: Run, line: dict[str, Any]) -> bool:
        """Show a line of metrics; whether to go on."""
        trainer = run.trainer
        for name in run.args.watched:
            if name in line:
                low, high = line[name]["ci95"]
                text = f"{line[name]['mean_points']:+.0f} ± {(high - low) / 2:.0f}"
                self.points[name] = text
                self.progress.console.print(f"{trainer.decisions:,} decisions: v {name} {text}")
        if self.writer is not None:
            for name, value in line.items():
                if isinstance(value, float):
                    self.writer.add_scalar(name, value, trainer.decisions)
                elif isinstance(value, dict):
                    self.writer.add_scalar(f"watch/points_v_{name}", value["mean_points"],
                                           trainer.decisions)  # fmt: skip
        done = trainer.progress
        left = trainer.seconds / done * (1 - done) if done else 0.0
        stages = "  ".join(
            f"{stage} {trainer.decisions / seconds:,.0f}"
            for stage, seconds in trainer.spent.items()
        )
        points = "  ".join(f"v {name} {text}" for name, text in self.points.items())
        self.progress.update(
            self.task,
            completed=done,
            left=f"{int(left) // 60}:{int(left) % 60:02}",
            note=f"{line['charts/SPS']:,.0f} decisions/s ({stages})  {points}",
        )
        return not self.stopping


def train(args: Args) -> Path:
    """Train; returns the run folder. Ctrl-C ends the training early; it can be resumed."""
    return _finish(Run.started(args))


def resume(folder: Path, minutes: float | None = None, decisions: int | None = None) -> Path:
    """Go on with an interrupted run; returns its folder.

    Args:
        folder: the run folder.
        minutes: new time in all; None: as before.
        decisions: new number of decisions in all; None: as before.

    Raises:
        CheckpointError: there is nothing to go on with.
    """
    changes: dict[str, Any] = {}
    if minutes is not None or decisions is not None:
        changes = {"minutes": minutes, "decisions": decisions}
    return _finish(Run.resumed(folder, **changes))


def _finish(run: Run) -> Path:
    """Run to the end with a progress bar; measure an exploiter."""
    out = run.args.out
    with Progress(*_columns()) as progress:
        report = _Report(run, progress)
        before = signal.signal(signal.SIGINT, report.interrupt)
        try:
            done = run.go_on(report)
        finally:
            signal.signal(signal.SIGINT, before)
        if not done:
            progress.console.print(f"saved; go on with: python train.py --resume {out}")
        elif run.args.exploit is not None:
            progress.console.print(run.exploitability())
    return out
