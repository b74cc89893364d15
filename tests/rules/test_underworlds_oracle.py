"""Underworlds against an oracle that takes the sheet at its word: paths walked one by one, sight by exact fractions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from regla.rules import Answer, Scene, ask

from tests.rules.test_hex_sight import reference
from tests.rules.test_underworlds import battles

Hex = tuple[int, int]
STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))


class Oracle:
    def __init__(self, scene: Scene) -> None:
        assert scene.board is not None
        self.all = {h.hex for h in scene.board.hexes}
        self.blocked = {h.hex for h in scene.board.hexes if h.type == "blocked"}
        self.at = {p.id: p.hex for p in scene.pieces if p.hex is not None}
        self.scene = scene
        self.men = [p.id for p in scene.pieces if p.kind == "model"]

    def around(self, h: Hex) -> list[Hex]:
        near = [(h[0] + q, h[1] + r) for q, r in STEPS]
        return [n for n in near if n in self.all] if h in self.all else []

    def d(self, a: Hex, b: Hex) -> int | None:
        """Widening circles until b is in."""
        reached, n = {a}, 0
        while b not in reached:
            wider = reached | {x for h in reached for x in self.around(h)}
            if wider == reached:
                return None
            reached, n = wider, n + 1
        return n

    def sees(self, a: Hex, b: Hex) -> bool:
        touched, leaves = reference(a, b, self.all, self.blocked)
        return not touched and not leaves

    def side(self, i: str) -> str | None:
        return self.scene.piece(i).side

    def has(self, i: str, trait: str) -> bool:
        return trait in self.scene.piece(i).traits

    def foes(self, i: str) -> list[str]:
        return [m for m in self.men if self.side(m) != self.side(i)]

    def empty(self, h: Hex, mover: str | None = None) -> bool:
        return (
            h in self.all and h not in self.blocked and all(self.at[m] != h for m in self.men if m != mover)
        )

    def walks(self, i: str, h: Hex, steps: int) -> Iterator[Hex]:
        """The end of every walk of one to `steps` steps, one walk after the other."""
        if steps == 0:
            return
        for n in self.around(h):
            if self.empty(n, i):
                yield n
            if self.empty(n, i) or self.has(i, "flying"):
                yield from self.walks(i, n, steps - 1)

    def reach(self, i: str, steps: int) -> set[Hex]:
        return {h for h in self.walks(i, self.at[i], steps) if h != self.at[i]}

    def targets(self, i: str, h: Hex, reach: int) -> set[str]:
        return {
            f for f in self.foes(i) if (n := self.d(h, self.at[f])) is not None and n <= reach and self.sees(h, self.at[f])
        }  # fmt: skip

    def beside(self, h: Hex) -> set[str]:
        return {m for m in self.men if self.at[m] in self.around(h)}

    def scythed(self, i: str) -> set[str]:
        near = self.beside(self.at[i]) & set(self.foes(i))
        return set() if len(near) > 1 and self.has(i, "charge-token") else near

    def farther(self, here: Hex, h: Hex, than: Hex) -> bool:
        one, two = self.d(here, h), self.d(here, than)
        return one is not None and two is not None and one > two

    def driven(self, a: str, b: str, knockback: int) -> set[Hex]:
        if self.has(b, "guard") and not knockback:
            return set()
        out = set()
        for q, r in STEPS:
            h = self.at[b]
            for _ in range(1 + knockback):
                n = (h[0] + q, h[1] + r)
                if not self.empty(n) or not self.farther(self.at[a], n, h):
                    break
                out.add(n)
                h = n
        return out

    def objective_hexes(self) -> set[Hex]:
        tokens = [self.at[p.id] for p in self.scene.pieces if p.kind == "token"]

        def fits(h: Hex, edge: bool) -> bool:
            near = any((n := self.d(h, t)) is not None and n <= 2 for t in tokens)
            return h not in self.blocked and not near and (edge or len(self.around(h)) == 6)

        return {h for h in self.all if fits(h, False)} or {h for h in self.all if fits(h, True)}


Check = tuple[dict[str, Any], str, Callable[[Oracle], Any]]
CHECKS: tuple[Check, ...] = (
    ({"query": "range", "from": "a", "to": "b"}, "value", lambda o: o.d(o.at["a"], o.at["b"])),
    ({"query": "line-of-sight", "from": "a", "to": "b"}, "answer", lambda o: o.sees(o.at["a"], o.at["b"])),
    ({"query": "move-reach", "from": "a", "move": 3}, "hexes", lambda o: o.reach("a", 3)),
    ({"query": "attack-targets", "from": "a", "range": 3}, "ids", lambda o: o.targets("a", o.at["a"], 3)),
    (
        {"query": "charge-targets", "from": "a", "move": 2, "range": 2},
        "ids",
        lambda o: set() if o.has("a", "move-token") or o.has("a", "charge-token") else {t for h in o.reach("a", 2) for t in o.targets("a", h, 2)},
    ),
    (
        {"query": "tackle-targets", "from": "a", "move": 2},
        "ids",
        lambda o: set() if o.has("a", "charge-token") else {t for h in o.reach("a", 2) for t in o.beside(h) if t in o.foes("a") and not o.has(t, "staggered")},
    ),
    (
        {"query": "scythe-targets", "from": "a"},
        "ids",
        lambda o: o.scythed("a"),
    ),
    ({"query": "stun-targets", "from": "a"}, "ids", lambda o: {t for t in o.beside(o.at["a"]) if t in o.foes("a") and not o.has(t, "staggered")}),
    ({"query": "support", "attacker": "a", "target": "b", "for": "attacker"}, "ids", lambda o: {m for m in o.beside(o.at["b"]) if o.side(m) == "A" and m != "a"}),
    ({"query": "support", "attacker": "a", "target": "b", "for": "target"}, "ids", lambda o: {m for m in o.beside(o.at["a"]) if o.side(m) == "B" and m != "b"}),
    ({"query": "drive-back", "attacker": "a", "target": "b"}, "hexes", lambda o: o.driven("a", "b", 0)),
    ({"query": "drive-back", "attacker": "a", "target": "b", "knockback": 2}, "hexes", lambda o: o.driven("a", "b", 2)),
    ({"query": "trapped", "attacker": "a", "target": "b"}, "answer", lambda o: not o.has("b", "guard") and not o.driven("a", "b", 0)),
    ({"query": "objective-hexes"}, "hexes", lambda o: o.objective_hexes()),
    ({"query": "edge-hexes"}, "value", lambda o: sum(len(o.around(h)) < 6 for h in o.all)),
    ({"query": "visible-hexes", "from": "a"}, "hexes", lambda o: {h for h in o.all if h != o.at["a"] and o.sees(o.at["a"], h)}),
)  # fmt: skip


@pytest.mark.parametrize("check", CHECKS, ids=[f"{i}-{c[0]['query']}" for i, c in enumerate(CHECKS)])
@settings(max_examples=40)
@given(document=battles())
def test_the_answer_is_the_oracles(check: Check, document: dict[str, Any]) -> None:
    question, key, expected = check
    scene = Scene.parse(document)
    verdict, said = ask(scene, question), expected(Oracle(scene))
    if key == "answer":
        assert verdict.answer is Answer.of(said)
    elif key == "value":
        assert verdict.value == said
    else:
        assert set(getattr(verdict, key) or ()) == said
