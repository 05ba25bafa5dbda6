"""The chat API of ollama: its answers, and what it refuses."""
