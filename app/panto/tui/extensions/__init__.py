"""The screen of extensions: what there is, what each does and costs, and a switch for each."""

from panto.tui.extensions.command import manage_extensions
from panto.tui.extensions.screen import ExtensionsScreen, Wish

__all__ = ["ExtensionsScreen", "Wish", "manage_extensions"]
