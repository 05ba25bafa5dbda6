"""A process that appends to a store until it is killed, and says what it was told is stored.

`python -m tests.sessions.writer FILE NAME [COUNT]`
"""

import asyncio
import sys
from itertools import count
from pathlib import Path

from panto.agent.conversation import Conversation
from panto.messages import Text, User
from panto.sessions.store import open_store


async def write(file: Path, name: str, limit: int | None) -> None:
    """Append, and print each text when it is stored."""
    async with await open_store(file) as store:
        conversation = Conversation(store, await store.new_session(Path(f"/{name}")))
        for number in count() if limit is None else range(limit):
            text = f"{name}-{number}"
            await conversation.append(User((Text(text),)))
            sys.stdout.write(f"{text}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(write(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]) if sys.argv[3:] else None))
