"""The benchmark runs and reports what it promises; how fast it was is not asserted."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path

import pytest

from benchmarks import aec, ladder, peers, search_time, throughput
from benchmarks.throughput import Args, Results
from tests.play import GAMES

TINY = Args(
    seconds=0.01,
    repeats=2,
    games=2,
    batch_sizes=(1, 2),
    warm_up=20,
    deals=2,
    peers=False,
    start=False,
)
PEER_KEYS = {
    "openspiel_gin_rummy_per_s",
    "ratio_openspiel_gin_rummy",
    "rlcard_gin_rummy_per_s",
    "ratio_rlcard_gin_rummy",
}
START_KEYS = {
    "cold_start_s",
    "cold_start_cpu_s",
    "cold_batch_s",
    "cold_process_s",
    "warm_start_s",
    "warm_start_cpu_s",
    "warm_batch_s",
    "warm_process_s",
}
# None on a machine with one core.
TWO_THREADS = {
    "decisions_per_s_2_threads",
    "deals_per_s_2_threads",
    "ratio_2_threads",
    "cores_2_threads",
}
ALWAYS = {
    "decisions_per_s_1_thread",
    "decisions_per_s_batch_1",
    "decisions_per_s_batch_2",
    "deals_per_s_1_thread",
    "decisions_per_deal",
    "copies_per_s",
    "resamples_per_s",
    "game_decisions_per_s",
    "game_text_decisions_per_s",
    "cores_1_thread",
}


@pytest.fixture(scope="module")
def results() -> Results:
    stages: list[str] = []
    found = throughput.measure(TINY, stages.append)
    assert len(stages) <= throughput.number_of_stages(TINY)
    return found


def test_results_have_all_keys_and_finite_figures(results: Results) -> None:
    assert set(results) == ALWAYS | TWO_THREADS | PEER_KEYS | START_KEYS | {
        "environment",
        "settings",
        "samples",
    }
    for key in ALWAYS:
        assert math.isfinite(results[key]), key
        assert results[key] > 0, key
    for key in TWO_THREADS:
        assert results[key] is None or math.isfinite(results[key]), key
    for key in PEER_KEYS | START_KEYS:
        assert results[key] is None, key


def test_best_of_the_repeats_counts(results: Results) -> None:
    samples = results["samples"]["decisions_per_s_batch_2"]
    assert len(samples) == TINY.repeats
    best = max(sample["rate"] for sample in samples)
    assert results["decisions_per_s_1_thread"] == results["decisions_per_s_batch_2"] == best


def test_results_are_json(results: Results) -> None:
    assert json.loads(json.dumps(results))["settings"]["batch_sizes"] == [1, 2]


def test_table_and_notes(results: Results) -> None:
    table = throughput.markdown(results)
    assert "| decisions a second, 1 thread, 2 games |" in table
    assert results["environment"]["numba"] in table
    missing = {**results, "environment": {**results["environment"], "rlcard": None}}
    assert any("rlcard" in note and "make bench" in note for note in throughput.notes(missing))
    samples = {"decisions_per_s_batch_2": [{"rate": 1.0, "cores": 0.5}] * 3}
    busy = {**results, "samples": samples}
    assert any("0 of 3 repeats" in note for note in throughput.notes(busy))
    waited = {**results, "cold_start_s": 30.0, "cold_start_cpu_s": 20.0}
    assert any("in 10 of 30 seconds" in note for note in throughput.notes(waited))


def test_peers_that_are_not_installed_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(seconds: float) -> float:
        raise ImportError("no such package")

    monkeypatch.setattr(peers, "rlcard_gin_rummy", missing)
    monkeypatch.setattr(peers, "openspiel_gin_rummy", lambda seconds: 10.0)
    found = throughput.measure(dataclasses.replace(TINY, peers=True, repeats=1))
    assert found["rlcard_gin_rummy_per_s"] is None
    assert found["ratio_rlcard_gin_rummy"] is None
    assert found["openspiel_gin_rummy_per_s"] == 10.0
    assert found["ratio_openspiel_gin_rummy"] == found["decisions_per_s_1_thread"] / 10.0


def test_start_of_a_process() -> None:
    decision, cpu, batch, process = throughput.start_up()
    assert 0 < decision <= batch <= process
    assert cpu > 0


def test_documented_table_is_replaced_between_its_markers(tmp_path: Path) -> None:
    text = f"before\n{throughput.BEGIN}\nold\n{throughput.END}\nafter\n"
    new = throughput.with_table(text, "new")
    assert new == text.replace("old", "new")
    page = tmp_path / "page.md"
    page.write_text("no markers", encoding="utf-8")
    with pytest.raises(ValueError, match="must have one"):
        Args(docs=page)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"seconds": 0.0}, "seconds must be above 0, not 0.0"),
        ({"repeats": 0}, "repeats must be at least 1, not 0"),
        ({"json": Path("no-such-folder/out.json")}, "no-such-folder is no folder"),
    ],
)
def test_bad_options_are_refused(option: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Args(**option)  # type: ignore[arg-type]


def test_documentation_has_the_markers() -> None:
    Args(docs=throughput.ROOT / "docs" / "speed.md")


def test_the_loop_of_pettingzoo_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise ImportError("no such package")

    makes = {**aec.ENVIRONMENTS, "texas_holdem_v4": missing}
    makes["tictactoe_v3"] = makes["burraco"]  # a stand-in, so that no pygame is needed
    monkeypatch.setattr(aec, "ENVIRONMENTS", makes)
    stages: list[str] = []
    found = aec.measure(aec.Args(seconds=0.02, repeats=2), stages.append)
    assert len(stages) == 3
    rates = found["steps_per_s"]
    assert rates["texas_holdem_v4"] is None
    assert found["ratios"]["burraco"] == {
        "tictactoe_v3": rates["burraco"] / rates["tictactoe_v3"],
        "texas_holdem_v4": None,
    }
    for name in ("burraco", "burraco_same_wrappers"):
        assert found["steps_with_exits_per_s"][name] > rates[name] > 0
    assert json.loads(json.dumps(found))["settings"] == {"seconds": 0.02, "repeats": 2}
    table = {row[0]: row[1:] for row in aec.rows(found)}
    assert table["texas_holdem_v4"] == ("not installed", "", "")
    assert float(table["tictactoe_v3"][1]) > 0


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"seconds": 0.0}, "seconds must be above 0, not 0.0"),
        ({"repeats": 0}, "repeats must be at least 1, not 0"),
        ({"json": Path("no-such-folder/out.json")}, "no-such-folder is no folder"),
    ],
)
def test_bad_options_of_the_loop_are_refused(option: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        aec.Args(**option)  # type: ignore[arg-type]


def test_the_ladder_has_a_row_for_every_game(capsys: pytest.CaptureFixture[str]) -> None:
    ladder.main(ladder.Args(ladder=("greedy", "random"), deals=3, workers=1))
    lines = capsys.readouterr().out.splitlines()
    rows = [line.split(" | ") for line in lines if line.startswith("| `")]
    assert [(row[0].strip("| `"), int(row[1])) for row in rows] == GAMES
    assert all(" ± " in row[2] for row in rows)
    assert lines[-1].endswith("of the intervals do not lie above 0.")


@pytest.mark.parametrize("milliseconds", [0, 1])
def test_what_time_buys_search_is_a_row_for_each_agent(
    milliseconds: int, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = ("search:rollout=greedy", "search", "greedy")
    if not milliseconds:
        texts = ("search:simulations=4", "search:simulations=40", "greedy")
    search_time.main(
        search_time.Args(agents=texts, milliseconds=milliseconds, positions=6, redraws=3)
    )
    rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines()[2:]]
    assert len(rows) == len(texts)
    assert all(row[0].startswith(f"| `{text}") for row, text in zip(rows, texts, strict=True))
    assert all(" ± " in row[3] and " ± " in row[4] for row in rows)
    assert rows[0][4].startswith("+0.0 ± 0.0")
