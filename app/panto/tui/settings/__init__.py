"""Settings on the screen: found by typing, explained, changed in a file that the user chooses."""

from panto.tui.settings.command import change_settings

__all__ = ["change_settings"]
