"""Writing a prompt: what stands in the text for more than it shows, what is kept of it, and the keys that change it."""
