"""Decides the answer to a request: the key, the rules of the API, then the script."""

import threading
import traceback
from collections import deque
from collections.abc import Callable, Sequence

from tests.support.llm.answers import Answer, answer, refusal, whole_json
from tests.support.llm.checks import RefusedError, parse_body
from tests.support.llm.request import Request
from tests.support.llm.script import Turn
from tests.support.llm.wire import WireFormat

Predicate = Callable[[Request], bool]


class Responder:
    """The script and the judge. `mishap` hears of what the test did not script."""

    def __init__(
        self,
        turns: Sequence[Turn],
        formats: Sequence[WireFormat],
        mishap: Callable[[str], None],
        *,
        validate: bool,
        api_key: str | None,
        models: Sequence[str],
        default: Turn | None,
    ) -> None:
        self._lock = threading.RLock()  # a predicate may add turns
        self._turns = deque(turns)
        self._side_turns: list[tuple[Predicate, deque[Turn]]] = []
        self._formats = list(formats)
        self._mishap = mishap
        self._validate = validate
        self._api_key = api_key
        self._models = list(models)
        self._default = default

    def add(self, turns: Sequence[Turn]) -> None:
        """More turns, after those there are."""
        with self._lock:
            self._turns.extend(turns)

    def add_side(self, predicate: Predicate, turns: Sequence[Turn]) -> None:
        """Turns for the requests that a predicate picks."""
        with self._lock:
            self._side_turns.append((predicate, deque(turns)))

    def forget(self) -> None:
        """Drop the turns that nobody has asked for."""
        with self._lock:
            self._turns.clear()
            self._side_turns.clear()

    @property
    def remaining(self) -> int:
        """Turns nobody has asked for yet."""
        with self._lock:
            return len(self._turns) + sum(len(turns) for _, turns in self._side_turns)

    def wire_of(self, method: str, path: str) -> WireFormat | None:
        """The wire format of a model call at this path; None if it is no model call."""
        return next((wire for wire in self._formats if method == "POST" and wire.calls(path)), None)

    def to_call(self, request: Request, wire: WireFormat) -> Answer:
        """The answer to a model call. Notes in the request what was read in it, and what is wrong with it."""
        request.wire = wire.name
        try:
            request.body = parse_body(request.raw)
            request.reading = wire.read(request)
            if self._validate or self._api_key is not None:
                wire.authorise(request, self._api_key)
            if self._validate:
                wire.check(request)
        except RefusedError as refused:
            if refused.status not in (401, 403):  # a wrong key is the test's own doing
                request.problem = refused.message
            return _refused(refused, wire)
        return self._scripted(request, wire)

    def to_other(self, request: Request, path: str) -> Answer:
        """The answer to any other request: the list of models, or 404."""
        wire = self._formats[-1] if "anthropic-version" in request.headers else self._formats[0]
        request.wire = wire.name
        try:
            wire.authorise(request, self._api_key)
        except RefusedError as refused:
            return _refused(refused, wire)
        if (request.method, path) == ("GET", "/v1/models"):
            return whole_json(200, wire.models(self._models), wire.headers())
        return refusal(wire.error(404, f"Invalid URL ({request.method} {path})"))

    def _scripted(self, request: Request, wire: WireFormat) -> Answer:
        turn = self._next_turn(request)
        if turn is None:
            last = (request.user_texts or ["(none)"])[-1]
            text = f"request {request.number} ({wire.name}) is beyond the script; last user text: {last!r:.200}"
            return self._broken(text, wire)
        try:
            return answer(turn(request) if callable(turn) else turn, request, wire)
        except Exception:  # noqa: BLE001 - the test's own function runs here: what it raises goes to client and test
            return self._broken(traceback.format_exc(), wire)

    def _broken(self, text: str, wire: WireFormat) -> Answer:
        self._mishap(text)
        return refusal(wire.error(500, f"scripted server: {text}"))

    def _next_turn(self, request: Request) -> Turn | None:
        with self._lock:
            for predicate, turns in self._side_turns:
                if turns and predicate(request):
                    return turns.popleft()
            return self._turns.popleft() if self._turns else self._default


def _refused(error: RefusedError, wire: WireFormat) -> Answer:
    return refusal(wire.error(error.status, error.message, error.kind, error.param, error.code))
