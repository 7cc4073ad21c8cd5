"""The benchmark: seed sets without a common deal, a fixed table, what counts as official."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numba
import numpy as np
import pytest

import evaluate
from agents import benchmark, seeds
from agents.evaluation import baselines
from agents.seeds import SEED_SETS, TEST, VALIDATE, SeedSet
from burraco_env import Batch, Rules
from burraco_env.game import deck_text
from burraco_env.generator import generator_states
from tests.test_evaluate import run

plays_deals = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="too many deals without the compiler"
)
DOCUMENT = Path(__file__).parents[1] / "docs" / "benchmark.md"


def sample(deals: SeedSet, count: int = 2000) -> list[int]:
    """States of the first and of the last deals of a set."""
    count = min(count, deals.deals)
    first = generator_states(deals.seed, count)
    last = generator_states(deals.seed, count, first=deals.deals - count)
    return [*first.tolist(), *last.tolist()]


def test_the_seed_sets_have_no_deal_in_common() -> None:
    keys = [{(deals.seed, first) for first in (0, deals.deals - 1)} for deals in SEED_SETS]
    assert len(set.union(*keys)) == sum(map(len, keys))
    assert len({deals.seed for deals in SEED_SETS}) == len(SEED_SETS)
    # A deal is what its generator makes of it: no state is there twice, nor with everyday seeds.
    everyday = [set(generator_states(seed, 2000).tolist()) for seed in (0, 1, 2)]
    states = [set(sample(deals)) for deals in SEED_SETS] + everyday
    assert len(set.union(*states)) == sum(map(len, states))


def test_the_decks_of_the_seed_sets_differ() -> None:
    rules = Rules.preset("italian")
    decks = []
    for deals in SEED_SETS:
        games = Batch(rules, 50, seed=deals.seed).games
        decks += [deck_text(games[row : row + 1]) for row in range(50)]
    assert len(set(decks)) == 150


def test_training_is_watched_on_the_validation_deals() -> None:
    source = (Path(__file__).parents[1] / "agents" / "sb3_training.py").read_text(encoding="utf-8")
    assert "VALIDATE.seed" in source
    assert str(VALIDATE.seed) not in source.replace("_", "")  # there is one place for it


def test_the_document_has_the_seed_sets_and_the_numbers_of_the_code() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert seeds.seed_table() in text
    assert benchmark.PROTOCOL in text
    assert f"{benchmark.DEALS:,} deals" in text
    assert f"{benchmark.SLOW_DEALS} deals" in text
    assert benchmark.SLOW_DEALS < benchmark.DEALS <= TEST.deals
    assert ", ".join(f"`{name}`" for name in ("random", "greedy", "expert")) in text
    assert text.count("<!-- begin: benchmark -->") == text.count("<!-- end: benchmark -->") == 1


@plays_deals
def test_the_command_plays_the_table_and_writes_it_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("agents.evaluation.BASELINES", ("random", "greedy"))
    file, folder = tmp_path / "out.json", tmp_path / "report"
    words = ["--benchmark", "greedy", "--deals", "3", "--partners", "random"]
    assert run(monkeypatch, *words, "--json", str(file), "--report", str(folder)) == 0
    found = json.loads(file.read_text())
    assert found["protocol"] == benchmark.PROTOCOL
    assert found["unofficial"] == ["3 deals a match instead of 2,000"]
    four, two = found["tables"]
    assert [(t["preset"], t["seats"], t["seed"]) for t in (four, two)] == [
        ("italian", 4, TEST.seed), ("italian", 2, TEST.seed),
    ]  # fmt: skip
    assert four["agents"] == two["agents"] == ["greedy", "random"]
    assert [row["opponent"] for row in four["partners"]] == ["random"]
    assert "partners" not in two
    markdown = (folder / "benchmark.md").read_text(encoding="utf-8")
    assert markdown in capsys.readouterr().out
    assert markdown.startswith("Unofficial: 3 deals a match instead of 2,000.\n")
    rows = re.findall(r"^\| ([42]) \| `greedy` \| `random` \| 3 \|", markdown, re.MULTILINE)
    assert rows == ["4", "2"]
    mean = four["matches"][0]["mean_points"]
    assert f"| {mean:+.1f} ± " in markdown
    assert "evaluate.py --benchmark greedy --deals 3" in markdown
    for line in markdown.splitlines():
        if line.startswith("|"):
            assert line.count("|") == 8
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert "Unofficial: 3 deals a match instead of 2,000." in page
    assert page.count("<h2>italian, ") == 2


def test_a_slow_agent_plays_fewer_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.evaluation.BASELINES", ("random", "greedy"))
    args = evaluate.tyro.cli(evaluate.Args, args=["--benchmark", "search"])
    plan = args.plans()[0]
    deals = {
        plan.entrants[m.first[0]].name + " v " + plan.entrants[m.second[0]].name: plan.deals_of(m)
        for m in plan.matches()
    }
    assert deals == {
        "search v random": benchmark.SLOW_DEALS,
        "search v greedy": benchmark.SLOW_DEALS,
        "random v greedy": benchmark.DEALS,
    }


@plays_deals
def test_all_deals_of_the_test_seed_are_official(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.evaluation.BASELINES", ("random", "greedy"))
    monkeypatch.setattr(benchmark, "DEALS", 2)

    def reasons(*words: str, played: bool = True) -> list[str]:
        args = evaluate.tyro.cli(evaluate.Args, args=["--benchmark", *words])
        session = evaluate.Session(args)
        for evaluation in session.evaluations if played else []:
            for _ in evaluation.play():
                pass
        return benchmark.unofficial(session.evaluations)

    assert reasons() == []
    assert reasons("--seed", "5") == [f"seed 5 instead of {TEST.seed}"]
    assert reasons("--deals", "1") == ["1 deals a match instead of 2"]
    assert reasons(played=False) == ["not all matches were played to the end"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--seats", "2"], "the benchmark has its own preset, seats and number of deals"),
        (["--preset", "mini"], "the benchmark has its own preset"),
        (["--until", "5"], "the benchmark has its own preset"),
        (["--deals", "2001"], "the benchmark has 2000 deals, not 2001"),
        (["--partners", "random"], "there is no agent to play with the partners"),
        (["gredy"], "unknown agent 'gredy'"),
    ],
)
def test_what_is_not_the_benchmark_is_refused(
    words: list[str],
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(monkeypatch, "--benchmark", *words) == evaluate.REFUSED
    assert sentence in " ".join(capsys.readouterr().err.split())


def test_the_baselines_are_those_that_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.evaluation.AGENTS", {"greedy": None, "mine": None, "random": None})
    assert baselines() == ("random", "greedy")


def test_names_cannot_break_the_table() -> None:
    assert benchmark.code("a|b`c") == r"`a\|b'c`"
    assert np.all([cell.count("`") == 2 for cell in (benchmark.code("x`"), benchmark.code("y"))])
