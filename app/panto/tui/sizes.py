"""From which sizes on the screen does without something."""

LOW_ROWS, SMALL_ROWS, TINY_ROWS = 24, 12, 7
"""Below these heights the screen drops what it can do without, the more the lower it is."""
NARROW_COLUMNS = 90
"""Below this width the side panel takes the transcript's place."""
