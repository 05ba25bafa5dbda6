"""The messages API: its answers, and what it refuses."""
