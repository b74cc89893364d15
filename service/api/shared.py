"""What all doors share: the running service, the reader's language, and how an error is said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import Depends, Query, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import HTTPConnection

from ..security import Tokens
from ..settings import Settings
from ..store import Store
from ..tables import Table, Tables

__all__ = ["ERRORS", "Fault", "Lang", "Problem", "Service", "ServiceDep", "TableDep", "lang_of", "service"]


@dataclass
class Service:
    settings: Settings
    store: Store
    tables: Tables
    tokens: Tokens


def service(connection: HTTPConnection) -> Service:
    return connection.app.state.service  # type: ignore[no-any-return]


ServiceDep = Annotated[Service, Depends(service)]


def lang_of(
    connection: HTTPConnection,
    lang: Annotated[Literal["en", "es"] | None, Query(description="Language of the texts.")] = None,
) -> str:
    if lang is not None:
        return lang
    accepted = connection.headers.get("accept-language", "").lower()
    if accepted.startswith("es"):
        return "es"
    return "en" if accepted.startswith("en") else service(connection).settings.lang


Lang = Annotated[str, Depends(lang_of)]


def table_of(table_id: str, running: ServiceDep) -> Table:
    return running.tables.get(table_id)


TableDep = Annotated[Table, Depends(table_of)]


class Fault(BaseModel):
    place: str = Field(examples=["pieces[3].base.diameter"])
    text: str = Field(examples=["expected over 0, got -3"])


class Problem(BaseModel):
    """What is wrong, for people; `faults` has every fault with its place."""

    error: str = Field(examples=["scene"])
    detail: str = Field(examples=["pieces[3].base.diameter: expected over 0, got -3"])
    faults: list[Fault] = []


ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "The scene or the question has faults; all are listed."},
    401: {"model": Problem, "description": "A token is needed."},
    404: {"model": Problem, "description": "There is no such thing."},
    409: {"model": Problem, "description": "Understood, but not possible now."},
}


class Body(BaseModel):
    """Base of every request: a name that we do not know is a mistake, not to be ignored."""

    model_config = ConfigDict(extra="forbid")


def example(document: Mapping[str, Any]) -> ConfigDict:
    return ConfigDict(extra="forbid", json_schema_extra={"examples": [dict(document)]})


def request_lang(request: Request) -> str:
    asked = request.query_params.get("lang")
    return asked if asked in ("en", "es") else lang_of(request)
