"""Pictures: the camera's, as single frames or as a stream, and photographs that people send."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Request, Response, UploadFile
from fastapi.responses import StreamingResponse

from ..errors import NotFound, TooLarge
from .shared import ERRORS, ServiceDep, TableDep

router = APIRouter(tags=["pictures"], responses=ERRORS)

BOUNDARY = "regla-frame"
CHUNK = 1 << 16
PICTURE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"image/jpeg": {}}, "description": "The picture."}
}


@router.get(
    "/api/tables/{table_id}/frame.jpg",
    response_class=Response,
    responses=PICTURE,
    summary="The newest picture",
)
def frame(table: TableDep, quality: int = 80) -> Response:
    picture = table.engine.picture(max(30, min(quality, 95)))
    if picture is None:
        raise NotFound.of("no-picture")
    return Response(
        picture.data,
        media_type=picture.media,
        headers={"Cache-Control": "no-store", "X-Regla-Frame": str(picture.version)},
    )


@router.get(
    "/api/tables/{table_id}/picture.mjpeg",
    response_class=StreamingResponse,
    summary="The pictures as a stream (MJPEG)",
)
async def mjpeg(table: TableDep, request: Request, running: ServiceDep, fps: float = 10) -> StreamingResponse:
    if await asyncio.to_thread(table.engine.picture) is None:
        raise NotFound.of("no-picture")
    every_s = 1 / max(0.2, min(fps, running.settings.picture_fps))

    async def parts() -> AsyncIterator[bytes]:
        sent = -1
        while not await request.is_disconnected():
            picture = await asyncio.to_thread(table.engine.picture)
            if picture is not None and picture.version != sent:
                sent = picture.version
                head = f"--{BOUNDARY}\r\nContent-Type: {picture.media}\r\nContent-Length: {len(picture.data)}\r\n\r\n"
                yield head.encode() + picture.data + b"\r\n"
            await asyncio.sleep(every_s)

    return StreamingResponse(parts(), media_type=f"multipart/x-mixed-replace; boundary={BOUNDARY}")


async def read_limited(upload: UploadFile, most_mb: float) -> bytes:
    """The bytes of an upload, never more than allowed in memory."""
    most = int(most_mb * 1_000_000)
    data = bytearray()
    while chunk := await upload.read(CHUNK):
        data += chunk
        if len(data) > most:
            raise TooLarge.of("upload-too-large", most=most_mb)
    return bytes(data)


@router.post(
    "/api/photo",
    summary="One photograph with the sheets in view: its scene, its calibration, and a table to ask",
)
async def photo(
    running: ServiceDep,
    picture: Annotated[UploadFile, File(description="JPEG, PNG or WebP")],
    game: Annotated[str | None, Form()] = None,
    keep: Annotated[bool, Form(description="Open a table on it, to ask in the page.")] = True,
) -> dict[str, Any]:
    from ..photo import look_at

    data = await read_limited(picture, running.settings.max_upload_mb)
    seen = await asyncio.to_thread(look_at, data, game, running.settings, picture.filename or "photo")
    out: dict[str, Any] = {"scene": seen.scene.to_dict(), "calibration": dict(seen.calibration)}
    if keep:
        table = await asyncio.to_thread(
            running.tables.add,
            seen.engine,
            name=(picture.filename or "photo")[:40],
            source="photo",
            keep=False,
        )
        out["table"] = table.id
    return out
