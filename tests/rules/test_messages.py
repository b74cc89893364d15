"""Both languages say everything, with the same gaps to fill."""

from __future__ import annotations

import pytest
from regla.rules import GAMES, LANGUAGES, msg
from regla.rules.messages import CATALOGUE, Angle, Length, fields_of, register


def test_every_message_is_there_in_every_language() -> None:
    for key, text in CATALOGUE.items():
        for lang in LANGUAGES:
            assert text[lang].strip(), key
        assert fields_of(text["en"]) == fields_of(text["es"]), key


def test_every_title_of_every_game_is_there_in_every_language() -> None:
    for game in GAMES.values():
        texts = [game.title, *game.phases.values(), *game.terrain_types.values()]
        texts += [p.title for p in game.params] + [t.title for t in game.traits]
        for query in game.queries.values():
            texts += [query.title, *(i.title for i in query.inputs)]
        for text in texts:
            assert set(text) == set(LANGUAGES), text
            assert all(text[lang].strip() for lang in LANGUAGES), text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ({"en": "one"}, "lacks es"),
        ({"en": "one", "es": ""}, "lacks es"),
        ({"en": "{a}", "es": "{b}"}, "other fields"),
    ],
)
def test_half_a_message_cannot_be_registered(text: dict[str, str], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        register({"test-half": text})
    assert "test-half" not in CATALOGUE


def test_a_key_is_registered_once() -> None:
    with pytest.raises(ValueError, match="already"):
        register({"plain": {"en": "x", "es": "x"}})


def test_lengths_are_written_for_the_reader() -> None:
    said = msg("plain", text=Length(763.524))
    assert said.text("en", "in") == "30.06 in"
    assert said.text("es", "in") == "30,06 in"
    assert said.text("es", "mm") == "763,5 mm"
    assert msg("plain", text=Angle(45.0)).text("en") == "45°"
