"""The parts of the terminal driver; tests import `tests.support.terminal`."""
