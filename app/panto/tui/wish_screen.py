"""A screen that does nothing itself: it says what the user wishes, until it is closed."""

import asyncio
from typing import Generic, TypeVar

from textual.screen import ModalScreen

W = TypeVar("W")


class WishScreen(ModalScreen[None], Generic[W]):
    """Covers the rest. Whoever opens it waits for wishes, and shows what came of them."""

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's own name for it
        super().__init__(id=id)
        self._wishes: asyncio.Queue[W | None] = asyncio.Queue()
        self.closed = False

    async def wish(self) -> W | None:
        """Wait for what the user wants next; None once the screen is closed."""
        return await self._wishes.get()

    def say_wish(self, wish: W) -> None:
        """Say what the user wants now."""
        if not self.closed:
            self._wishes.put_nowait(wish)

    def close(self) -> None:
        """Close the screen. Closing twice is fine."""
        if not self.closed:
            self.closed = True
            self._wishes.put_nowait(None)
            if self.is_current:  # else the whole program is about to go
                self.dismiss()

    def action_close(self) -> None:
        """Leave."""
        self.close()
