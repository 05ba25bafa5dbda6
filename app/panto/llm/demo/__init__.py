"""The built-in demo model: no language model, but a provider that lives in this process and needs no key.

Its requests and answers are those of a real server, so that everything between the prompt and the tools is at work.
"""

from panto.llm.demo.transport import DemoTransport
from panto.llm.types import Endpoint, Quirks

DEMO_PROVIDER = "demo"
DEMO_MODEL = "panto-demo"


def demo_endpoint() -> Endpoint:
    """Where the demo model is asked."""
    return Endpoint(
        provider=DEMO_PROVIDER,
        api="openai-chat",
        base_url="http://demo.invalid/v1",
        transport=DemoTransport(),
        quirks=Quirks(merge_users=False, late_system=True),  # what the user typed stays apart from notices
    )
