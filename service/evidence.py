"""Evidence: a ruling with all that it rests on, sealed by a hash, and the offline check of it.

A bundle is a zip: `ruling.json` (the sealed document), `chain.json` (every fingerprint up to it), `scene.json`, the frames, the calibration,
and a report to read. The fingerprint is the hash of `ruling.json`, which holds the hash of every other file and of the ruling before it.
"""

from __future__ import annotations

import io
import json
import math
import platform
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from secrets import token_hex
from typing import Any

from regla.rules import Message, RulesError, Scene, Verdict, ask, msg
from regla.rules.messages import register

from .engine import Freeze
from .errors import BrokenEvidence, Refused
from .store import GENESIS, Store, Stored, canonical, digest
from .tables import Table

__all__ = ["Check", "bundle", "rule", "verdict_of", "verify", "versions"]

MAX_FILE_BYTES = 200_000_000
MAX_BUNDLE_FILES = 200
# What reading a damaged, locked or strangely packed part of an archive raises.
UNREADABLE = (zipfile.BadZipFile, zlib.error, RuntimeError, EOFError, OSError, ValueError)

SAME = 1e-6
"""Two computers agree on a length to far better than this share of it."""

COMPARED = ("answer", "value", "band", "arc", "margin", "sigma", "ids", "blockers", "hexes", "at", "rules")
"""What of a verdict is recomputed; sentences may be worded better by a later version."""


def versions() -> dict[str, str]:
    out = {"python": platform.python_version()}
    for name in ("regla", "numpy", "shapely", "opencv-python", "openvino"):
        try:
            out[name] = version(name)
        except PackageNotFoundError:
            continue
    return out


def rule(
    table: Table,
    store: Store,
    question: Mapping[str, Any],
    *,
    frames: int,
    lang: str,
    note: str = "",
    players: list[str] | None = None,
    judge: str = "",
) -> Stored:
    """Freeze the table, ask, and store the ruling; when this returns the ruling is on the disk."""
    status = table.engine.snapshot().status
    if not status.settled:
        raise Refused.of("not-settled", word=status.word)
    frozen = table.engine.freeze(frames)
    scene = table.in_game_unit(frozen.scene)
    verdict = table.ask(question, lang, frozen.scene)
    created = datetime.now(UTC).isoformat(timespec="milliseconds")
    document = {
        "kind": "regla-ruling",
        "format": 1,
        "table_name": table.name,
        "game": scene.game,
        "mode": table.mode,
        "lang": lang,
        "question": dict(question),
        "verdict": verdict.to_json(lang),
        "note": note,
        "players": players or table.players,
        "judge": judge,
        "grade": status.grade,
        "error_mm": status.error_mm,
        "model": dict(frozen.model),
        "view": None if frozen.view is None else dict(frozen.view),
        "versions": versions(),
    }
    return store.add_ruling(token_hex(6), table.id, created, document, _files(scene, frozen))


def _files(scene: Scene, frozen: Freeze) -> dict[str, tuple[str, bytes]]:
    files: dict[str, tuple[str, bytes]] = {
        "scene.json": ("application/json", _pretty(scene.to_dict())),
    }
    if frozen.calibration is not None:
        files["calibration.json"] = ("application/json", _pretty(dict(frozen.calibration)))
    for i, frame in enumerate(frozen.frames, 1):
        suffix = "png" if frame.media == "image/png" else "jpg"
        files[f"frames/{i:02d}.{suffix}"] = (frame.media, frame.data)
    return files


def _pretty(document: Any) -> bytes:
    return (json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()


def verdict_of(document: Mapping[str, Any], scene: Scene) -> Verdict:
    """The verdict, asked again of the stored scene."""
    return ask(scene, document["question"], lang=document.get("lang", "en"), mode=document["mode"])


def bundle(
    stored: Stored, files: Mapping[str, tuple[str, bytes]], chain: list[dict[str, Any]], report: str
) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:

        def put(name: str, data: bytes) -> None:
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)

        put("ruling.json", canonical(dict(stored.document)))
        put("chain.json", _pretty(chain))
        put("fingerprint.txt", (stored.hash + "\n").encode())
        put("report.html", report.encode())
        for name, (_, data) in files.items():
            put(name, data)
    return out.getvalue()


@dataclass(frozen=True)
class Check:
    """One thing that was looked at in a bundle."""

    name: Message
    ok: bool
    detail: str = ""


def verify(path: Path, fingerprint: str | None = None) -> list[Check]:
    """Look at everything in a bundle, offline: hashes, chain, and the verdict computed afresh.

    `fingerprint` is the one on the paper that the players were given, where there is one.
    """
    try:
        archive = zipfile.ZipFile(path)
    except (OSError, zipfile.BadZipFile):
        raise BrokenEvidence.of("bundle-broken", what=path.name) from None
    with archive:
        infos = {i.filename: i for i in archive.infolist()}
        if len(infos) > MAX_BUNDLE_FILES or any(i.file_size > MAX_FILE_BYTES for i in infos.values()):
            raise BrokenEvidence.of("bundle-broken", what=path.name)

        def read(name: str) -> bytes:
            try:
                return archive.read(infos[name])
            except (KeyError, *UNREADABLE):
                raise BrokenEvidence.of("bundle-broken", what=name) from None

        sealed = read("ruling.json")
        try:
            document = json.loads(sealed)
            chain = json.loads(read("chain.json"))
            named: dict[str, str] = dict(document["files"])
            seq, prev = int(document["seq"]), str(document["prev"])
        except (ValueError, KeyError, TypeError):
            raise BrokenEvidence.of("bundle-broken", what="ruling.json") from None
        own = digest(sealed)
        checks = [Check(msg("check-files", n=len(named)), *_files_check(named, infos, archive))]
        claimed = read("fingerprint.txt").decode("ascii", "replace").strip()
        wanted = fingerprint.lower() if fingerprint else claimed
        same = own == claimed and own.startswith(wanted) and len(wanted) >= 12
        checks.append(Check(msg("check-fingerprint"), same, own))
        checks.append(Check(msg("check-chain", n=seq), *_chain_check(chain, seq, prev, own)))
        scene_bytes = read("scene.json")
    checks.append(Check(msg("check-verdict"), *_verdict_check(document, scene_bytes)))
    return checks


def _files_check(
    named: Mapping[str, str], infos: Mapping[str, zipfile.ZipInfo], archive: zipfile.ZipFile
) -> tuple[bool, str]:
    wrong = []
    for name, wanted in named.items():
        try:
            if name not in infos or digest(archive.read(infos[name])) != wanted:
                wrong.append(name)
        except UNREADABLE:
            wrong.append(name)
    return not wrong, ", ".join(wrong)


def _chain_check(chain: Any, seq: int, prev: str, own: str) -> tuple[bool, str]:
    try:
        before = GENESIS
        for i, link in enumerate(chain, 1):
            if link["seq"] != i or link["prev"] != before:
                return False, f"#{i}"
            before = link["hash"]
        last = chain[-1]
        return last["seq"] == seq and last["prev"] == prev and last["hash"] == own, f"#{seq}"
    except (KeyError, TypeError, IndexError):
        return False, "chain.json"


def _verdict_check(document: Mapping[str, Any], scene_bytes: bytes) -> tuple[bool, str]:
    try:
        again = verdict_of(document, Scene.parse(scene_bytes)).to_json("en")
    except RulesError as error:
        return False, str(error)
    stored = document["verdict"]
    wrong = [key for key in COMPARED if not _equal(stored.get(key), again.get(key))]
    said = ", ".join(f"{key}: {stored.get(key)!r} → {again.get(key)!r}" for key in wrong)
    return not wrong, said or f"{stored.get('answer')} · {stored.get('because')}"


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, float | int) and isinstance(b, float | int) and not isinstance(a, bool):
        return math.isclose(a, b, rel_tol=SAME, abs_tol=SAME)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(_equal(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b)


register(
    {
        "check-files": {
            "en": "{n} files are as they were sealed",
            "es": "{n} archivos están como se sellaron",
        },
        "check-fingerprint": {"en": "fingerprint", "es": "huella"},
        "check-chain": {"en": "chain of {n} rulings", "es": "cadena de {n} fallos"},
        "check-verdict": {"en": "verdict computed afresh", "es": "veredicto calculado de nuevo"},
    }
)
