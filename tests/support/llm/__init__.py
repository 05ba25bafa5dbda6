"""The parts of the scripted LLM server; tests import them from `tests.support.llm_server`."""
