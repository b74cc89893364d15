"""The numbers of the sheet's section 0, in one place. Lengths in millimetres."""

from __future__ import annotations

INCH = 25.4

EPS = 0.0001 * INCH
"""Slack of every comparison in a scene written by hand."""

SHARE_EPS = 1e-6
"""Slack on shares of a facing."""

TURN_EPS_DEG = 0.01
"""Two facings written by hand are parallel when they differ by no more: coordinates carry six decimals."""

CAMERA_GAP = 1.0
"""Bases that stand edge to edge are never exact in a picture: gaps up to this are read as contact."""

CAMERA_TURN_DEG = 2.0
"""The same for facings: up to this they are read as aligned."""

SKIRMISH_GAP = 12.5
SPACING = 1.0 * INCH
SPACING_MOVING = 0.5 * INCH

HEIGHTS = ("standard", "large", "gigantic")
FULL_RANK = (5, 3, 1)
"""Models that make a rank full, by Height."""

LINE_FILES = 8
"""A rank this wide is line formation."""
