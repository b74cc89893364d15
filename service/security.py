"""Who may do what.

On this computer (loopback) everything is allowed. From anywhere else reading needs one of the two tokens and changing needs the full one.
A browser is checked twice more: the name it used to reach us must be ours (or a page on the web could point its own name at this
machine), and a change must come from our own page (or any page on the web could send it).
"""

from __future__ import annotations

import hmac
import ipaddress
import os
import secrets
import socket
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Any, Literal
from urllib.parse import parse_qs, urlencode, urlsplit

from regla.rules import msg
from starlette.responses import JSONResponse, RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from .settings import Settings

__all__ = ["COOKIE", "Guard", "Tokens", "own_addresses"]

COOKIE = "regla_token"
OPEN_PATHS = ("/health", "/static/", "/favicon.ico")
"""Nothing of a table is in these."""
PAGES = ("/", "/t/", "/photo", "/setup")
"""Shells without data: a phone that lost its token must at least be told so."""

Rights = Literal["none", "read", "full"]
CHANGING = {"POST", "PUT", "PATCH", "DELETE"}
ASKING = ("/api/ask", "/between", "/whatif")
"""POSTs that change nothing: reading rights are enough."""


class Tokens:
    """The two tokens; made once and kept in the data folder, readable by its owner only."""

    def __init__(self, settings: Settings) -> None:
        self.full = settings.token or self._kept(settings.data / "token")
        self.read = settings.overlay_token or self._kept(settings.data / "overlay-token")

    @staticmethod
    def _kept(path: Path) -> str:
        try:
            known = path.read_text(encoding="ascii").strip()
        except (OSError, ValueError):
            known = ""
        if len(known) >= 16:
            return known
        made = secrets.token_urlsafe(24)
        path.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(made + "\n")
        return made

    def rights(self, given: str | None) -> Rights:
        if not given:
            return "none"
        if hmac.compare_digest(given.encode(), self.full.encode()):
            return "full"
        if hmac.compare_digest(given.encode(), self.read.encode()):
            return "read"
        return "none"


def own_addresses() -> list[str]:
    """Addresses under which phones in the same network reach this machine, the likeliest first."""
    found: list[str] = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # documentation range: no packet is sent, only a route is chosen
            found.append(probe.getsockname()[0])
        except OSError:
            found.clear()
    try:
        found += [str(a[4][0]) for a in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
    except OSError:
        return found
    return [a for a in dict.fromkeys(found) if not a.startswith("127.")]


def _hostname(host: str) -> str:
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".").lower()
    except ValueError:
        return ""


def _is_ip(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _number(text: str | None) -> int:
    return int(text) if text and text.isdigit() else 0


def _is_loopback(name: str) -> bool:
    return name == "localhost" or (_is_ip(name) and ipaddress.ip_address(name).is_loopback)


FORM_SLACK = 100_000
"""What a form adds around the picture in it."""


def _limited(receive: Receive, most: int) -> Receive:
    """A body that claims no length is cut off where a longer one would have been refused."""
    taken = 0

    async def wrapped() -> Any:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > most:
            return {"type": "http.disconnect"}
        return message

    return wrapped


class Guard:
    """ASGI middleware: host, origin, token, and headers that keep a browser careful."""

    def __init__(self, app: ASGIApp, settings: Settings, tokens: Tokens) -> None:
        self._app, self._settings, self._tokens = app, settings, tokens
        machine = socket.gethostname().lower()
        self._names = {"localhost", settings.host.lower(), *(h.lower() for h in settings.allowed_hosts)}
        if not settings.loopback_only:
            self._names |= {machine, f"{machine}.local"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in scope["headers"]}
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        lang = "es" if headers.get("accept-language", "").lower().startswith("es") else "en"
        path: str = scope["path"]
        host = _hostname(headers.get("host", ""))
        method = scope.get("method", "GET") if scope["type"] == "http" else "GET"

        if not self._known(host):
            await self._refuse(scope, receive, send, 403, "host-unknown", lang, host=host)
            return
        origin = headers.get("origin")
        changes = method in CHANGING
        cross = headers.get("sec-fetch-site") in ("cross-site", "same-site")
        foreign = origin is not None and urlsplit(origin).netloc.lower() != headers.get("host", "").lower()
        if (changes or scope["type"] == "websocket") and (foreign or (changes and cross)):
            await self._refuse(scope, receive, send, 403, "origin-foreign", lang)
            return

        shown, kept = self._given(headers, query)
        rights = self._tokens.rights(shown)
        if rights == "none":
            rights = "full" if self._local(scope, headers, host) else self._tokens.rights(kept)
        scope.setdefault("state", {})["rights"] = rights
        is_page = scope["type"] == "http" and method == "GET" and not path.startswith(("/api/", "/overlay/"))
        if is_page and "token" in query and rights != "none":
            await self._remember(scope, receive, send, query, shown or "")
            return
        if not self._open(path):
            needs_full = changes and not path.endswith(ASKING)
            if rights == "none" or (needs_full and rights != "full"):
                key = "token-needed" if rights == "none" else "token-read-only"
                await self._refuse(scope, receive, send, 401 if rights == "none" else 403, key, lang)
                return
        most = int(self._settings.max_upload_mb * 1_000_000) + FORM_SLACK
        if scope["type"] == "http" and _number(headers.get("content-length")) > most:
            await self._refuse(
                scope, receive, send, 413, "upload-too-large", lang, most=self._settings.max_upload_mb
            )
            return
        limited = receive if scope["type"] == "websocket" else _limited(receive, most)
        await self._app(scope, limited, self._careful(send, path))

    def _known(self, host: str) -> bool:
        if host in self._names or _is_loopback(host):
            return True
        # A name on the web can be pointed at this machine, a bare address cannot.
        return _is_ip(host) and not self._settings.loopback_only

    def _local(self, scope: Scope, headers: dict[str, str], host: str) -> bool:
        client = scope.get("client")
        if client is None or "x-forwarded-for" in headers or "forwarded" in headers:
            return False
        return _is_loopback(str(client[0])) and _is_loopback(host)

    def _given(self, headers: dict[str, str], query: dict[str, list[str]]) -> tuple[str | None, str | None]:
        """The token that this request shows by itself, and the one that the browser keeps in its cookie."""
        shown = query["token"][-1] if query.get("token") else None
        scheme, _, value = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and value:
            shown = value.strip()
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            cookie = None
        return shown, cookie.value if cookie is not None else None

    @staticmethod
    def _open(path: str) -> bool:
        if any(path == p or (p.endswith("/") and path.startswith(p)) for p in OPEN_PATHS):
            return True
        return any(path == p or (p != "/" and p.endswith("/") and path.startswith(p)) for p in PAGES)

    async def _remember(
        self, scope: Scope, receive: Receive, send: Send, query: dict[str, list[str]], token: str
    ) -> None:
        """Keep the token in a cookie and take it out of the address, where it could be seen on a stream."""
        rest = urlencode({k: v for k, v in query.items() if k != "token"}, doseq=True)
        response = RedirectResponse(scope["path"] + (f"?{rest}" if rest else ""), status_code=303)
        response.set_cookie(COOKIE, token, httponly=True, samesite="strict", max_age=90 * 86400)
        await response(scope, receive, send)

    async def _refuse(
        self, scope: Scope, receive: Receive, send: Send, status: int, key: str, lang: str, **args: Any
    ) -> None:
        text = msg(key, **args).text(lang)
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": key})
            return
        response = JSONResponse({"error": key, "detail": text}, status, {"X-Content-Type-Options": "nosniff"})
        await response(scope, receive, send)

    def _careful(self, send: Send, path: str) -> Send:
        async def wrapped(message: Any) -> None:
            if message["type"] == "http.response.start":
                headers = message.setdefault("headers", [])
                headers += [
                    (b"x-content-type-options", b"nosniff"),
                    (b"referrer-policy", b"no-referrer"),
                    (b"cross-origin-resource-policy", b"same-origin"),
                ]
                known = {name for name, _ in headers}
                if b"content-security-policy" not in known and not path.startswith("/docs"):
                    headers.append((b"content-security-policy", POLICY.encode()))
            await send(message)

        return wrapped


POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; connect-src 'self' ws: wss:; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
)
