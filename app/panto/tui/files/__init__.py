"""Files that are named in the prompt with ``@``: found while one types, and read when the text is sent."""
