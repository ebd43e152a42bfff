"""The kinds of random worlds by name."""

from functools import partial

from tests.engine.worlds import exact_world, huge_world
from tests.fleet.chance import Draw, draw
from tests.fleet.told import draw_told

DRAWN: dict[str, Draw] = {
    "chance": draw,
    "exact": partial(draw, drawn_by=exact_world),
    "huge": partial(draw, drawn_by=huge_world),
    "told": draw_told,
    "windows": partial(draw, is_old=True),
    "windows huge": partial(draw, drawn_by=huge_world, is_old=True),
    "windows told": partial(draw_told, is_old=True),
}
"""What anybody may run; percentages that doubles miss; numbers at the ends of Go's; and what is seen from outside.

Those with windows are of 1.6 to 1.11.
"""
