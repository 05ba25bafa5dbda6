"""Finds extensions, judges them by the policy, and switches them on and off."""

from panto.loader.loader import Extension, Loader
from panto.loader.sources import Candidate, Sources

__all__ = ["Candidate", "Extension", "Loader", "Sources"]
