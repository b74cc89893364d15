"""The scene document: every fault at once with its place; load ▸ save ▸ load is the identity."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from regla.rules import GAMES, Scene, SceneError, schema
from regla.rules.document import MAX_BYTES
from regla.rules.scene import MAX_PIECES

CASES = sorted((Path(__file__).parents[1] / "cases").glob("*.json"))


def a_scene(**changes: Any) -> dict[str, Any]:
    scene: dict[str, Any] = {
        "game": "mage-knight",
        "unit": "in",
        "table": {"width": 40, "depth": 40},
        "pieces": [
            {
                "id": "a",
                "side": "A",
                "at": [10, 10],
                "facing": 90,
                "base": {"shape": "circle", "diameter": 1.5},
            },
            {
                "id": "b",
                "side": "B",
                "at": [13, 14],
                "facing": 0,
                "base": {"shape": "rect", "width": 1, "depth": 2},
            },
        ],
        "terrain": [{"id": "wood", "type": "hindering", "outline": [[1, 1], [4, 1], [4, 4]]}],
    }
    return {**scene, **changes}


def piece(**changes: Any) -> dict[str, Any]:
    return a_scene(pieces=[{"id": "p", "at": [1, 2], **changes}])


FAULTS = [
    (piece(base={"shape": "circle", "diameter": -3}), "pieces[0].base.diameter: expected over 0"),
    (piece(base={"shape": "circle"}), "pieces[0].base.diameter: expected, but missing"),
    (piece(base={"shape": "oval", "diameter": 3}), "pieces[0].base: expected one of 'circle'"),
    (piece(base={"shape": "circle", "diameter": 900}), "pieces[0].base.diameter: expected between"),
    (piece(at=[1, float("nan")]), "pieces[0].at[1]: expected a finite number"),
    (piece(at=[float("inf"), 1]), "pieces[0].at[0]: expected a finite number"),
    (piece(at=[1e9, 1]), "pieces[0].at: lies over 100 m"),
    (piece(at=["1", 2]), "pieces[0].at[0]: expected a valid float"),
    (piece(at=[1]), "pieces[0].at"),
    (piece(at=None), "pieces[0]: expected a place"),
    (piece(facing="north"), "pieces[0].facing: expected a valid float"),
    (piece(facing=True), "pieces[0].facing"),
    (piece(kind="dog"), "pieces[0].kind: expected one of"),
    (piece(id=""), "pieces[0].id: expected at least 1"),
    (piece(id=7), "pieces[0].id: expected a valid string"),
    (piece(kind="unit", files=5, count=3), "pieces[0].files: expected at most the count (3)"),
    (piece(count=-1), "pieces[0].count: expected at least 0"),
    (piece(sigma={"at": [-1, 0]}), "pieces[0].sigma.at[0]: expected at least 0"),
    (piece(confidence=2), "pieces[0].confidence: expected at most 1"),
    (piece(traits="sword"), "pieces[0].traits: expected a valid tuple"),
    (a_scene(game="chess"), "game: expected one of"),
    (a_scene(unit="cm"), "unit: expected one of"),
    (a_scene(table={"width": 0, "depth": 1}), "table.width: expected over 0"),
    (a_scene(table={"width": 40000, "depth": 40}), "table.width: expected between"),
    (a_scene(pieces=[3]), "pieces[0]"),
    (a_scene(pieces="none"), "pieces: expected a valid tuple"),
    (a_scene(params={"front_arc_deg": math.nan}), "params.front_arc_deg: expected a finite number"),
    (a_scene(terrain=[{"id": "w", "type": "x", "outline": [[0, 0], [1, 1]]}]), "terrain[0].outline: expected at least 3"),
    (
        a_scene(terrain=[{"id": "w", "type": "x", "outline": [[0, 0], [2, 2], [2, 0], [0, 2]]}]),
        "terrain[0].outline: the outline crosses itself",
    ),
    (a_scene(terrain=[{"id": "a", "type": "x", "outline": [[0, 0], [2, 0], [2, 2]]}]), "terrain[0].id: the id a is used twice"),
    (a_scene(board={"hexes": [{"hex": [0, 0]}, {"hex": [0, 0]}]}), "board.hexes[1].hex: the id"),
    (a_scene(board={"hexes": [{"hex": [0.5, 0]}]}), "board.hexes[0].hex[0]"),
]  # fmt: skip


@pytest.mark.parametrize(("document", "said"), FAULTS, ids=[said[:48] for _, said in FAULTS])
def test_a_fault_names_its_place(document: dict[str, Any], said: str) -> None:
    with pytest.raises(SceneError) as caught:
        Scene.parse(document)
    assert said in caught.value.text("en")
    assert caught.value.text("es") != caught.value.text("en")


def test_all_faults_are_listed_at_once() -> None:
    broken = a_scene(
        pieces=[
            {"id": "a", "at": [1, 1], "base": {"shape": "circle", "diameter": -3}},
            {"id": "a", "at": [1, float("nan")]},
        ]
    )
    with pytest.raises(SceneError) as caught:
        Scene.parse(broken)
    assert [fault.place for fault in caught.value.faults] == [
        "pieces[0].base.diameter",
        "pieces[1].at[1]",
        "pieces[1].id",
    ]


def test_too_many_pieces_and_too_large_documents_are_refused() -> None:
    crowd = [{"id": str(i), "at": [i % 40, i // 40]} for i in range(MAX_PIECES + 1)]
    with pytest.raises(SceneError, match=r"pieces: expected at most 2000 entries"):
        Scene.parse(a_scene(pieces=crowd))
    with pytest.raises(SceneError, match="bytes"):
        Scene.parse(json.dumps(a_scene(note="x" * MAX_BYTES)))


@pytest.mark.parametrize("text", ["", "{", "[1]", "null", '"hello"', "[" * 100_000, "\x00", b"\xff\xfe"])
def test_what_is_not_a_document_is_said_so(text: str | bytes) -> None:
    with pytest.raises(SceneError):
        Scene.parse(text)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match="cannot be read"):
        Scene.load(tmp_path / "no.json")


def test_a_flag_is_a_trait_and_an_unknown_field_is_kept() -> None:
    scene = Scene.parse(piece(elevated=True, soaring=False, note="mine", traits=["sword"]))
    assert scene.piece("p").traits == ("sword", "elevated")
    assert scene.to_dict()["pieces"][0]["note"] == "mine"
    assert Scene.parse(scene.to_dict()) == scene


def test_nobodys_side_is_written_in_two_ways() -> None:
    assert Scene.parse(piece(side="none")).piece("p").side is None
    assert Scene.parse(piece(side=None)).piece("p").side is None


def test_a_scene_is_immutable() -> None:
    scene = Scene.parse(a_scene(params={"front_arc_deg": 90}))
    with pytest.raises(AttributeError):
        scene.game = "t9a"  # type: ignore[misc]
    with pytest.raises(TypeError):
        scene.params["front_arc_deg"] = 180  # type: ignore[index]


finite = st.floats(-2000, 2000, allow_nan=False).map(lambda x: round(x, 6))
size = st.floats(2, 400, allow_nan=False)
bases = st.one_of(
    st.builds(lambda d: {"shape": "circle", "diameter": d}, size),
    st.builds(lambda w, d: {"shape": "rect", "width": w, "depth": d}, size, size),
    st.builds(lambda a: {"shape": "hex", "across_flats": a}, size),
)
words = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=12)


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    pieces = []
    for i in range(draw(st.integers(0, 6))):
        entry: dict[str, Any] = {
            "id": f"p{i}",
            "kind": draw(st.sampled_from(["model", "unit", "token", "marker"])),
            "side": draw(st.sampled_from([None, "A", "B"])),
            "at": [draw(finite), draw(finite)],
            "facing": draw(st.one_of(st.none(), finite)),
            "base": draw(bases),
            "traits": draw(st.lists(words, max_size=3)),
        }
        optional: dict[str, st.SearchStrategy[Any]] = {
            "sigma": st.fixed_dictionaries({"at": st.tuples(size, size).map(list), "facing": size}),
            "confidence": st.floats(0, 1),
            "height": size,
            "name": words,
            "hex": st.tuples(st.integers(-9, 9), st.integers(-9, 9)).map(list),
            "mystery": st.one_of(words, st.integers(), st.lists(st.integers(), max_size=3)),
        }
        for name, values in optional.items():
            if draw(st.booleans()):
                entry[name] = draw(values)
        pieces.append(entry)
    return {
        "game": draw(st.sampled_from(sorted(GAMES))),
        "unit": "mm",
        "table": {"width": draw(size) + 100, "depth": draw(size) + 100},
        "pieces": pieces,
        "params": draw(
            st.dictionaries(words, st.one_of(finite, words, st.lists(finite, max_size=3)), max_size=3)
        ),
    }


@given(documents())
def test_load_save_load_is_the_identity(document: dict[str, Any]) -> None:
    scene = Scene.parse(document)
    again = Scene.parse(json.dumps(scene.to_dict()))
    assert again == scene
    assert again.to_dict() == scene.to_dict()


@given(documents())
def test_every_valid_document_fits_the_published_schema(document: dict[str, Any]) -> None:
    saved = Scene.parse(document).to_dict()
    jsonschema.validate(json.loads(json.dumps(saved)), schema())


@given(st.recursive(st.one_of(st.none(), st.booleans(), st.floats(), st.text(max_size=5)),
                    lambda inner: st.one_of(st.lists(inner, max_size=4),
                                            st.dictionaries(st.sampled_from(["game", "unit", "pieces", "at", "id", "base"]), inner, max_size=4)),
                    max_leaves=12))  # fmt: skip
def test_any_json_is_a_scene_or_a_list_of_faults(junk: Any) -> None:
    for document in (
        junk,
        a_scene(pieces=junk),
        a_scene(pieces=[junk]),
        piece(base=junk),
        a_scene(terrain=junk),
    ):
        try:
            Scene.parse(document)
        except SceneError as error:
            assert error.faults


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_the_scenes_of_the_corpora_survive_the_round_trip(path: Path, tmp_path: Path) -> None:
    for case in json.loads(path.read_text()):
        scene = Scene.parse(case["scene"])
        scene.save(tmp_path / "scene.json")
        assert Scene.load(tmp_path / "scene.json") == scene


def test_inches_become_millimetres_once() -> None:
    scene = Scene.parse(a_scene())
    mm = scene.in_mm()
    assert mm.piece("a").at == pytest.approx((254.0, 254.0))
    assert mm.terrain[0].outline[1] == pytest.approx((101.6, 25.4))
    assert mm.in_mm() is mm
