"""The Converse API of Amazon Bedrock: its answers, and what it refuses."""
