"""The responses API: its answers, and what it refuses."""
