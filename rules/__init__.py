"""Rules without cameras: a scene, a question, a verdict.

from regla.rules import Scene, ask
verdict = ask(Scene.load("table.json"), {"query": "range", "from": "archers", "to": "knights"})
"""

from .ask import Mode, ask
from .cases import Case, Outcome, run_cases
from .document import schema
from .errors import Fault, QuestionError, RulesError, SceneError, Unknown
from .game import Game, Input, Param, Query
from .games import GAMES
from .messages import LANGUAGES, Message, msg
from .scene import Piece, Scene, Terrain
from .survey import About, Survey, about, survey
from .verdict import Answer, Finding, Verdict

__all__ = [
    "GAMES",
    "LANGUAGES",
    "About",
    "Answer",
    "Case",
    "Fault",
    "Finding",
    "Game",
    "Input",
    "Message",
    "Mode",
    "Outcome",
    "Param",
    "Piece",
    "Query",
    "QuestionError",
    "RulesError",
    "Scene",
    "SceneError",
    "Survey",
    "Terrain",
    "Unknown",
    "Verdict",
    "about",
    "ask",
    "msg",
    "run_cases",
    "schema",
    "survey",
]
