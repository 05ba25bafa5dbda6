"""The standard tools: files, search, and the shell."""
