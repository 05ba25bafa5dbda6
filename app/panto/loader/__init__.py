"""Finds extensions, judges them by the policy, and switches them on and off."""

from panto.loader.facts import Facts
from panto.loader.loader import Extension, Loader, State
from panto.loader.rulings import Target
from panto.loader.sources import Candidate, Sources
from panto.loader.switches import Switches

__all__ = ["Candidate", "Extension", "Facts", "Loader", "Sources", "State", "Switches", "Target"]
