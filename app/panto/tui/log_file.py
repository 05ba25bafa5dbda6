"""The log file: where exceptions go, so that the screen need not show them."""

import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

MAX_BYTES = 2_000_000
"""One file's size; one older file is kept beside it."""


def log_to(file: Path) -> None:
    """Send all log records to a file, which is made with the first. One that can't be written is done without."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handler = RotatingFileHandler(file, maxBytes=MAX_BYTES, backupCount=1, encoding="utf-8", delay=True)
    except OSError:
        logging.getLogger().addHandler(logging.NullHandler())
        return
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    for old in tuple(root.handlers):
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    logging.raiseExceptions = False  # a full disk must not print over the screen
