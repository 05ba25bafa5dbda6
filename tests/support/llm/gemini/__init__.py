"""The Gemini API: its answers, and what it refuses."""
