"""The chat completions API: its answers, and what it refuses."""
