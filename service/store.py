"""What must not be lost: rulings with their evidence, and how each table was set up. One SQLite file.

A ruling is confirmed to a person only after its transaction is on the disk: write-ahead log with `synchronous=FULL`, one fsync per commit.
Each ruling carries the hash of the one before it; triggers refuse to change or delete one.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import NotFound

__all__ = ["GENESIS", "Store", "Stored", "canonical", "digest"]

GENESIS = "0" * 64
"""The hash before the first ruling."""

SCHEMA = """
create table if not exists rulings (
  seq integer primary key,
  id text not null unique,
  table_id text not null,
  created text not null,
  document text not null,
  prev text not null,
  hash text not null unique
);
create table if not exists files (
  ruling text not null references rulings(id),
  name text not null,
  media text not null,
  data blob not null,
  primary key (ruling, name)
);
create table if not exists tables (id text primary key, document text not null);
create trigger if not exists rulings_stay before update on rulings begin select raise(abort, 'a ruling is never changed'); end;
create trigger if not exists rulings_remain before delete on rulings begin select raise(abort, 'a ruling is never deleted'); end;
create trigger if not exists files_stay before update on files begin select raise(abort, 'evidence is never changed'); end;
create trigger if not exists files_remain before delete on files begin select raise(abort, 'evidence is never deleted'); end;
"""


def canonical(document: Any) -> bytes:
    """JSON in one form only, so that equal documents have equal hashes.

    >>> canonical({"b": 1, "a": [1.5, None]})
    b'{"a":[1.5,null],"b":1}'
    """
    return json.dumps(
        document, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    ).encode()


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True)
class Stored:
    seq: int
    id: str
    table: str
    created: str
    document: Mapping[str, Any]
    prev: str
    hash: str


class Store:
    """Safe for several threads; every write is one transaction."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.RLock()
        self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._db.execute("pragma journal_mode=wal")
        self._db.execute("pragma synchronous=full")
        self._db.execute("pragma foreign_keys=on")
        self._db.execute("pragma busy_timeout=5000")
        self._db.execute("pragma wal_autocheckpoint=200")
        self._db.executescript(SCHEMA)

    def close(self) -> None:
        with self._lock:
            self._db.execute("pragma wal_checkpoint(truncate)")
            self._db.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._db.execute("begin immediate")
            try:
                yield self._db
            except BaseException:
                self._db.execute("rollback")
                raise
            self._db.execute("commit")

    def add_ruling(
        self,
        ruling_id: str,
        table_id: str,
        created: str,
        document: Mapping[str, Any],
        files: Mapping[str, tuple[str, bytes]],
    ) -> Stored:
        """Store a ruling at the end of the chain; when this returns, it survives a power cut.

        The hash is taken over the document, the hashes of its files and the hash before it.
        """
        with self._transaction() as db:
            row = db.execute("select seq, hash from rulings order by seq desc limit 1").fetchone()
            seq, prev = (row[0] + 1, row[1]) if row else (1, GENESIS)
            sealed = {
                **document,
                "id": ruling_id,
                "seq": seq,
                "table": table_id,
                "created": created,
                "prev": prev,
                "files": {name: digest(data) for name, (_, data) in sorted(files.items())},
            }
            fingerprint = digest(canonical(sealed))
            db.execute(
                "insert into rulings values (?, ?, ?, ?, ?, ?, ?)",
                (seq, ruling_id, table_id, created, canonical(sealed).decode(), prev, fingerprint),
            )
            db.executemany(
                "insert into files values (?, ?, ?, ?)",
                [(ruling_id, name, media, data) for name, (media, data) in files.items()],
            )
        return Stored(seq, ruling_id, table_id, created, sealed, prev, fingerprint)

    def ruling(self, ruling_id: str) -> Stored:
        with self._lock:
            row = self._db.execute(
                "select seq, id, table_id, created, document, prev, hash from rulings where id = ?",
                (ruling_id,),
            ).fetchone()
        if row is None:
            raise NotFound.of("no-such-ruling", id=ruling_id)
        return _stored(row)

    def rulings(
        self, table_id: str | None = None, limit: int = 100, before: int | None = None
    ) -> Sequence[Stored]:
        """The newest first."""
        with self._lock:
            rows = self._db.execute(
                "select seq, id, table_id, created, document, prev, hash from rulings"
                " where (?1 is null or table_id = ?1) and (?2 is null or seq < ?2) order by seq desc limit ?3",
                (table_id, before, limit),
            ).fetchall()
        return [_stored(row) for row in rows]

    def chain(self, upto: int | None = None) -> list[dict[str, Any]]:
        """Every link of the chain, from the first ruling on."""
        with self._lock:
            rows = self._db.execute(
                "select seq, prev, hash from rulings where ?1 is null or seq <= ?1 order by seq", (upto,)
            ).fetchall()
        return [{"seq": seq, "prev": prev, "hash": own} for seq, prev, own in rows]

    def files(self, ruling_id: str) -> dict[str, tuple[str, bytes]]:
        with self._lock:
            rows = self._db.execute(
                "select name, media, data from files where ruling = ? order by name", (ruling_id,)
            ).fetchall()
        return {name: (media, data) for name, media, data in rows}

    def save_table(self, table_id: str, document: Mapping[str, Any]) -> None:
        with self._transaction() as db:
            db.execute(
                "insert into tables values (?1, ?2) on conflict (id) do update set document = ?2",
                (table_id, json.dumps(document, ensure_ascii=False)),
            )

    def drop_table(self, table_id: str) -> None:
        with self._transaction() as db:
            db.execute("delete from tables where id = ?", (table_id,))

    def tables(self) -> dict[str, dict[str, Any]]:
        with self._lock:
            rows = self._db.execute("select id, document from tables order by id").fetchall()
        return {table_id: json.loads(document) for table_id, document in rows}


def _stored(row: tuple[Any, ...]) -> Stored:
    seq, ruling_id, table_id, created, document, prev, fingerprint = row
    return Stored(seq, ruling_id, table_id, created, json.loads(document), prev, fingerprint)
