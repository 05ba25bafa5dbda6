"""The screen of models: what there is to talk to, found by typing a part of its name."""

from panto.tui.model_picker.command import choose_model
from panto.tui.model_picker.screen import ModelScreen, Wish

__all__ = ["ModelScreen", "Wish", "choose_model"]
