"""The tables: each with its engine, its game, how it is shown, and the browsers that follow it."""

from __future__ import annotations

import asyncio
import logging
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from regla.rules import GAMES, Scene, Verdict, ask

from .engine import Engine, Snapshot, StillEngine
from .errors import NotFound, Refused
from .hub import Hub
from .live import LiveEngine
from .settings import Settings
from .store import Store
from .units import in_unit
from .wire import Packed, pack

__all__ = ["DEFAULT_OVERLAY", "Table", "Tables"]

LOG = logging.getLogger("regla.service")

Mode = Literal["friendly", "tournament"]

WAIT_S = 0.5
"""How often the follower of a table looks whether it should end."""

DEFAULT_OVERLAY: dict[str, Any] = {
    "ruling": None,
    "caption": "",
    "select": None,
    "show": ["ruling", "names"],
    "unit": None,
    "theme": "dark",
    "aligned": True,
}


@dataclass
class Table:
    id: str
    name: str
    engine: Engine
    mode: Mode = "friendly"
    source: str | None = None
    overlay: dict[str, Any] = field(default_factory=lambda: dict(DEFAULT_OVERLAY))
    players: list[str] = field(default_factory=list)
    created: float = field(default_factory=time.time)
    hub: Hub | None = None
    keep: bool = True
    """Whether the table is remembered over a restart."""

    def __post_init__(self) -> None:
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._packing = threading.Lock()
        self.published = 0

    # --- life -------------------------------------------------------------------------------------------

    def follow(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start the engine and publish each of its snapshots to the browsers."""
        self.engine.start()
        self.hub = Hub(self._packed(), loop)
        self._thread = threading.Thread(target=self._run, name=f"table-{self.id}", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        version = -1
        while not self._stop.is_set():
            snapshot = self.engine.wait(version, WAIT_S)
            if snapshot.version == version:
                continue
            version = snapshot.version
            try:
                self.publish(snapshot)
            except Exception:  # one bad look must not end the table: the next one is published again
                LOG.exception("table %s: version %s could not be sent", self.id, version)

    def publish(self, snapshot: Snapshot | None = None) -> None:
        if self.hub is not None:
            with self._packing:
                self.hub.publish(self._packed(snapshot))
                self.published += 1

    def close(self) -> None:
        self._stop.set()
        self.engine.stop()
        if self._thread is not None:
            self._thread.join(timeout=5)
        if self.hub is not None:
            self.hub.close()

    # --- what it says ------------------------------------------------------------------------------------

    def _packed(self, snapshot: Snapshot | None = None) -> Packed:
        return pack(
            snapshot or self.engine.snapshot(),
            name=self.name,
            mode=self.mode,
            players=self.players,
            overlay=self.overlay,
            undo=list(self.engine.undoable()),
            camera=self.camera(),
        )

    def camera(self) -> bool:
        return self.engine.view() is not None

    @property
    def scene(self) -> Scene:
        return self.engine.snapshot().scene

    def about(self) -> dict[str, Any]:
        """A line of the list of tables."""
        snapshot = self.engine.snapshot()
        return {
            "id": self.id,
            "name": self.name,
            "kind": self.engine.kind,
            "game": snapshot.scene.game,
            "mode": self.mode,
            "players": self.players,
            "status": snapshot.status.word,
            "pieces": len(snapshot.scene.pieces),
            "source": self.source,
            "clients": self.hub.clients if self.hub else 0,
            "camera": self.camera(),
        }

    def in_game_unit(self, scene: Scene | None = None) -> Scene:
        """The scene in the unit that the game's players use: questions and answers are in it."""
        scene = scene or self.scene
        return in_unit(scene, GAMES[scene.game].unit)

    def ask(self, question: Mapping[str, Any], lang: str, scene: Scene | None = None) -> Verdict:
        return ask(self.in_game_unit(scene), question, lang=lang, mode=self.mode)


class Tables:
    """All tables of the service. Ids are short, so that they can be read aloud: 1, 2, 3."""

    def __init__(self, settings: Settings, store: Store, loop: asyncio.AbstractEventLoop) -> None:
        self._settings, self._store, self._loop = settings, store, loop
        self._tables: dict[str, Table] = {}
        self._lock = threading.Lock()

    def __iter__(self) -> Any:
        return iter(list(self._tables.values()))

    def __len__(self) -> int:
        return len(self._tables)

    def get(self, table_id: str) -> Table:
        found = self._tables.get(table_id)
        if found is None:
            raise NotFound.of("no-such-table", id=table_id, known=sorted(self._tables) or "-")
        return found

    def add(
        self, make: Callable[[], Engine], *, name: str | None = None, table_id: str | None = None, **more: Any
    ) -> Table:
        with self._lock:
            if len(self._tables) >= self._settings.max_tables:
                raise Refused.of("too-many-tables", most=self._settings.max_tables)
            if table_id is None:
                n = 1
                while str(n) in self._tables:
                    n += 1
                table_id = str(n)
            if not re.fullmatch(r"[A-Za-z0-9_-]{1,40}", table_id):
                raise Refused.of("bad-table-id", got=repr(table_id)[:60])
            if table_id in self._tables:
                raise Refused.of("table-exists", id=table_id)
            table = Table(
                table_id, name or f"{table_id}", make(), mode=more.pop("mode", self._settings.mode), **more
            )
            self._tables[table_id] = table
        table.follow(self._loop)
        self.save(table)
        return table

    def remove(self, table_id: str) -> None:
        table = self.get(table_id)
        with self._lock:
            del self._tables[table_id]
        table.close()
        self._store.drop_table(table_id)

    def close(self) -> None:
        for table in self:
            table.close()

    # --- over a restart ----------------------------------------------------------------------------------

    def save(self, table: Table) -> None:
        if not table.keep:
            return
        document: dict[str, Any] = {
            "name": table.name,
            "mode": table.mode,
            "source": table.source,
            "players": table.players,
            "overlay": table.overlay,
        }
        if isinstance(table.engine, StillEngine) and table.engine.picture() is None:
            document["scene"] = table.scene.to_dict()
        if isinstance(table.engine, LiveEngine):
            document["corrections"] = table.engine.corrections()
        self._store.save_table(table.id, document)

    def restore(self) -> None:
        """Bring back the tables of the last run whose scene is a document."""
        for table_id, document in self._store.tables().items():
            if table_id in self._tables or "scene" not in document:
                continue
            scene = Scene.parse(document["scene"])
            self.add(
                partial(StillEngine, scene, history_s=self._settings.history_minutes * 60),
                name=document.get("name"),
                table_id=table_id,
                mode=document.get("mode", "friendly"),
                source=document.get("source"),
                players=document.get("players", []),
                overlay={**DEFAULT_OVERLAY, **document.get("overlay", {})},
            )

    def remembered(self, table_id: str, source: str) -> tuple[dict[str, Any], dict[str, Any] | None]:
        """How a table on this source was set up in the last run, and what hands had set."""
        known = self._store.tables().get(table_id, {})
        if known.get("source") != source:
            known = {}
        kept: dict[str, Any] = {k: known[k] for k in ("name", "mode", "players") if k in known}
        overlay = {**DEFAULT_OVERLAY, **known.get("overlay", {})}
        return {**kept, "overlay": overlay}, known.get("corrections")

    def change(self, table: Table, **changes: Any) -> None:
        """Change how a table is set up; the browsers hear of it and the store keeps it."""
        for name, value in changes.items():
            setattr(table, name, value)
        table.publish()
        self.save(table)
