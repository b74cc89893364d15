"""From pixels to millimetres, with an error one can trust. Start reading at `view.py`, then `table.py`."""

from .camera import Camera, Pose
from .document import Calibration, Check, Sheet, diff
from .errors import CalibrationError
from .lens_guess import guess_camera
from .markers import Marker, corner_places, find_markers
from .quality import Quality, error_map
from .rectangle import calibrate_rectangle
from .table import calibrate_found, calibrate_markers, recalibrate
from .view import TableView

__all__ = [
    "Calibration",
    "CalibrationError",
    "Camera",
    "Check",
    "Marker",
    "Pose",
    "Quality",
    "Sheet",
    "TableView",
    "calibrate_found",
    "calibrate_markers",
    "calibrate_rectangle",
    "corner_places",
    "diff",
    "error_map",
    "find_markers",
    "guess_camera",
    "recalibrate",
]
