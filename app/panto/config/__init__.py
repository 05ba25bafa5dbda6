"""Settings: read, laid over each other, checked, with the origin of every value.

What is needed later only has modules of its own: `panto.config.secrets` (a provider's key), `panto.config.show` (the
settings as text), `panto.config.edit` (change a key of a file).
"""

from panto.config.diagnostics import Diagnostic
from panto.config.load import Config, load
from panto.config.schema import Extensions, Mode, ModelSettings, Permissions, Provider, Secret, Settings
from panto.config.source import Origin, OriginLayer

__all__ = [
    "Config",
    "Diagnostic",
    "Extensions",
    "Mode",
    "ModelSettings",
    "Origin",
    "OriginLayer",
    "Permissions",
    "Provider",
    "Secret",
    "Settings",
    "load",
]
