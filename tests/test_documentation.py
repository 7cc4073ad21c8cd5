"""The documentation: its generated tables are current, and the tests it names exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from burraco_env import NUM_ACTIONS, OBSERVATION_SIZE, Rules
from burraco_env.documentation import (
    BLOCKS,
    ROOT,
    documented_files,
    main,
    rewritten,
    stale_files,
)
from burraco_env.rules import OVERRIDABLE

pytestmark = pytest.mark.nojit

TESTS = Path(__file__).parent


def table(name: str) -> str:
    return f"<!-- begin: {name} -->\n{BLOCKS[name]()}\n<!-- end: {name} -->"


def functions(path: Path) -> set[str]:
    """Names of the test functions of a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_generated_blocks_are_current() -> None:
    names = [str(path.relative_to(ROOT)) for path in stale_files(documented_files())]
    assert not names, f"stale: {', '.join(names)}; run python -m burraco_env.documentation"


@pytest.mark.parametrize("name", list(BLOCKS))
def test_every_block_stands_in_the_documentation(name: str) -> None:
    pages = [path.read_text(encoding="utf-8") for path in documented_files()]
    assert any(table(name) in page for page in pages)


def test_tests_named_in_the_rules_exist() -> None:
    page = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(test_\w+)`", page))
    modules = sorted(TESTS.glob("test_*.py"))
    assert len(named) > 100
    assert not named - {name for path in modules for name in functions(path)}


def test_every_field_of_the_rules_is_in_a_row_of_the_rules() -> None:
    page = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    rows = [line.split("|") for line in page.splitlines() if line.startswith("| ")]
    in_rows = {name for row in rows for cell in row[2:] for name in re.findall(r"`(\w+)`", cell)}
    assert set(OVERRIDABLE) <= in_rows


def test_every_rulebook_section_has_its_tests() -> None:
    names = {name for path in TESTS.glob("test_rules_*.py") for name in functions(path)}
    sections = {int(found[1]) for name in names if (found := re.match(r"test_(\d+)_", name))}
    assert sections == set(range(1, 12))


def test_table_of_presets_has_a_column_for_each_and_rows_for_what_differs() -> None:
    head, _, *rows = BLOCKS["presets"]().splitlines()
    assert head.count("|") == len(Rules.PRESET_NAMES) + 2
    cells = {row.split(" | ")[0].strip("| `"): row.split(" | ") for row in rows if row[:1] == "|"}
    assert cells["jokers"][1:5] == ["4", "2", "", ""]
    assert cells["set_ranks"][7] == "A3"
    assert cells["seats"][1] == "4, 2, 3"
    assert "max_turns" not in cells  # the same in all
    assert any(row.startswith("* `italian` with 3 seats: `pozzetto_sizes` 18, 11") for row in rows)


def test_table_of_fields_has_every_field_with_its_meaning() -> None:
    rows = BLOCKS["fields"]().splitlines()[2:]
    assert [row.split("`")[1] for row in rows] == list(OVERRIDABLE)
    assert all(len(row.split(" | ")) == 4 and "|  |" not in row for row in rows)


@pytest.mark.parametrize(
    ("name", "size"), [("actions", NUM_ACTIONS), ("observation", OBSERVATION_SIZE)]
)
def test_table_of_a_space_has_no_gap(name: str, size: int) -> None:
    rows = [row.split(" | ") for row in BLOCKS[name]().splitlines()[2:] if row.startswith("|")]
    at = 0
    for row in rows:
        assert int(row[1]) == at
        at += int(row[2])
    assert at == size


def test_rewriting_changes_only_the_blocks() -> None:
    old = "# A\n\n<!-- begin: fields -->\nold\n<!-- end: fields -->\n\nend\n"
    new = rewritten(old)
    assert new == f"# A\n\n{table('fields')}\n\nend\n"
    assert rewritten(new) == new
    assert rewritten("no blocks\n") == "no blocks\n"


def test_rewriting_leaves_blocks_of_others_alone() -> None:
    text = "<!-- begin: speed -->\n| 1 |\n<!-- end: speed -->\n"
    assert rewritten(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "<!-- begin: fields -->\nold\n",
        "old\n<!-- end: fields -->\n",
        "<!-- begin: fields -->\nold\n<!-- end: presets -->\n",
    ],
)
def test_rewriting_needs_both_markers(text: str) -> None:
    with pytest.raises(ValueError, match=r"<!-- \w+: \w+ --> has no counterpart"):
        rewritten(text)


def test_check_names_the_stale_file_and_changes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "docs" / "page.md"
    page.parent.mkdir()
    old = "<!-- begin: fields -->\nold\n<!-- end: fields -->\n"
    page.write_text(old, encoding="utf-8")
    (tmp_path / "README.md").write_text("nothing generated\n", encoding="utf-8")
    assert main(["--check"], tmp_path) == 1
    assert f"{page.relative_to(tmp_path)} is stale" in capsys.readouterr().err
    assert page.read_text(encoding="utf-8") == old
    assert main([], tmp_path) == 0
    assert "page.md rewritten" in capsys.readouterr().out
    assert page.read_text(encoding="utf-8") == f"{table('fields')}\n"
    assert main(["--check"], tmp_path) == 0


def test_check_names_the_file_with_broken_markers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "README.md").write_text("<!-- end: fields -->\n", encoding="utf-8")
    assert main(["--check"], tmp_path) == 1
    assert "README.md: <!-- end: fields --> has no counterpart" in capsys.readouterr().err
