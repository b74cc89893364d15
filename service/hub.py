"""Many browsers, one table: each gets the newest state as fast as it can take it, and none slows the table.

A client has no queue. It remembers the last state that it was sent; when there is news it is sent the difference to the newest state, so a
slow client skips what lies between and always ends at the final state.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from .wire import Packed, delta, dumps, full

__all__ = ["HEARTBEAT_S", "Hub"]

HEARTBEAT_S = 2.0
"""A client that hears nothing for longer knows that the line is dead (the overlay fades after five seconds)."""

CACHED_DELTAS = 32
"""Clients that are in step share one encoding; more steps behind than this are rare and encoded singly."""


class Hub:
    def __init__(self, first: Packed, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._latest = first
        self._serial = 0
        self._waiting: set[asyncio.Event] = set()
        self._cache: dict[tuple[int, int], str] = {}
        self._closed = False

    @property
    def latest(self) -> Packed:
        return self._latest

    @property
    def clients(self) -> int:
        return len(self._waiting)

    def publish(self, packed: Packed) -> None:
        """From any thread. Costs the caller the same for one client as for fifty."""
        try:
            self._loop.call_soon_threadsafe(self._take, packed)
        except RuntimeError:  # the loop has ended: the service is stopping
            self._closed = True

    def close(self) -> None:
        self._closed = True
        for event in self._waiting:
            event.set()

    def _take(self, packed: Packed) -> None:
        self._latest = packed
        self._serial += 1
        for event in self._waiting:
            event.set()

    async def serve(self, send: Callable[[str], Awaitable[None]], gone: asyncio.Event) -> None:
        """Feed one client until it is gone."""
        news = asyncio.Event()
        self._waiting.add(news)
        try:
            sent, serial = self._latest, self._serial
            await send(dumps(full(sent)))
            while not self._closed and not gone.is_set():
                try:
                    await asyncio.wait_for(news.wait(), HEARTBEAT_S)
                except TimeoutError:
                    await send(dumps({"type": "tick", "v": sent.version}))
                    continue
                news.clear()
                if gone.is_set() or serial == self._serial:
                    continue
                latest, now = self._latest, self._serial
                await send(self._encoded(sent, serial, latest, now))
                sent, serial = latest, now
        finally:
            self._waiting.discard(news)

    def wake(self, event: asyncio.Event) -> None:
        event.set()
        for waiting in self._waiting:
            waiting.set()

    def _encoded(self, before: Packed, old: int, after: Packed, new: int) -> str:
        key = (old, new)
        text = self._cache.get(key)
        if text is None:
            if len(self._cache) >= CACHED_DELTAS:
                self._cache.clear()
            text = self._cache[key] = dumps(delta(before, after))
        return text
