"""What the pass over a history does, case by case."""

import pytest

from panto.llm.call_ids import CallIds
from panto.llm.pairing import INTERRUPTED
from panto.llm.sendable import BEGINNING, CONTINUE, NO_OUTPUT, UNDERSTOOD, Rules, sendable
from panto.messages import Assistant, Image, Message, System, Text, Thinking, Tool, ToolCall, ToolOutput, User
from tests.llm.talking import user

MODEL = "local/m"
PNG = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + (30).to_bytes(4) + (20).to_bytes(4)
SIGNED = Rules(goes_back=lambda opaque: "signature" in opaque)


def sent(*history: Message, rules: Rules | None = None) -> list[Message]:
    return sendable(history, rules or Rules(), MODEL)


def answer(*parts: Text | Thinking | ToolCall, model: str = MODEL) -> Assistant:
    return Assistant(parts, model)


def call(id_: str, **arguments: object) -> ToolCall:
    return ToolCall(id_, "std.read", arguments)


def result(id_: str, text: str = "text", *, is_error: bool = False) -> ToolOutput:
    return ToolOutput(id_, "std.read", text, is_error=is_error)


def results(message: Message) -> list[tuple[str, str, bool]]:
    assert isinstance(message, Tool)
    return [(output.call_id, output.text, output.is_error) for output in message.parts]


def test_a_plain_conversation_stays_as_it_is() -> None:
    history = [
        user("Hi"),
        answer(Text("Hello"), call("a", path="x")),
        Tool((result("a"),)),
        answer(Text("So")),
        user("?"),
    ]
    assert sent(*history) == history


def test_a_call_without_a_result_gets_one() -> None:
    history = sent(user("Hi"), answer(call("a"), call("b")), Tool((result("b"),)), user("Go on"))
    assert results(history[2]) == [("a", INTERRUPTED, True), ("b", "text", False)]


def test_results_come_right_behind_their_calls_and_in_their_order() -> None:
    history = sent(
        user("Hi"), answer(call("a"), call("b")), Tool((result("b", "2"),)), user("Wait"), Tool((result("a", "1"),))
    )
    assert results(history[2]) == [("a", "1", False), ("b", "2", False)]
    assert history[3:] == [user("Wait")]


def test_results_of_nothing_and_second_results_are_dropped() -> None:
    outputs = (result("x"), result("a", "first"), result("a", "second"))
    history = sent(user("Hi"), Tool((result("a", "too early"),)), answer(call("a")), Tool(outputs))
    assert results(history[2]) == [("a", "first", False)]
    assert len(history) == 3


def test_an_id_that_is_used_again_belongs_to_the_latest_call() -> None:
    history = sent(
        user("Hi"),
        answer(call("c")),
        Tool((result("c", "1"),)),
        answer(call("c")),
        Tool((result("c", "2"),)),
        user("?"),
    )
    first, second = results(history[2])[0], results(history[4])[0]
    assert (first[1], second[1]) == ("1", "2")
    assert first[0] != second[0]
    for message, output in ((history[1], first), (history[3], second)):
        assert isinstance(message, Assistant)
        assert message.calls[0].id == output[0]


def test_the_same_id_twice_in_one_answer() -> None:
    history = sent(user("Hi"), answer(call("c"), call("c")), Tool((result("c", "1"), result("c", "2"))))
    assert [text for _, text, _ in results(history[2])] == ["1", "2"]
    assert len({id_ for id_, _, _ in results(history[2])}) == 2


@pytest.mark.parametrize("id_", ["", "functions.read:0", "x" * 65, "ü", "a b", "\ud83d"])
def test_illegal_ids_are_replaced_on_both_sides(id_: str) -> None:
    history = sent(user("Hi"), answer(call(id_)), Tool((result(id_),)))
    assert isinstance(history[1], Assistant)
    new = history[1].calls[0].id
    assert results(history[2]) == [(new, "text", False)]
    assert new.isascii()
    assert new.isalnum()


def test_ids_are_the_same_for_the_same_history() -> None:
    wanted = ["a", "a", "", "ü", "a", "x" * 99]
    first, again = CallIds("[a-z]{1,9}"), CallIds("[a-z]{1,9}")
    assert [first.new(id_) for id_ in wanted] == [again.new(id_) for id_ in wanted]
    strict = CallIds("[a-zA-Z0-9]{9}")
    assert all(len(strict.new(id_)) == 9 for id_ in wanted)


def test_blank_texts_and_empty_messages_are_dropped() -> None:
    history = sent(user("Hi"), answer(Text(" \n"), Text("Yes")), user(" "), answer(Text("\n")), answer(), user("Go"))
    assert history == [user("Hi"), answer(Text("Yes")), user("Go")]


def test_what_the_tools_said_nothing_about() -> None:
    assert results(sent(user("Hi"), answer(call("a")), Tool((result("a", " "),)))[2]) == [("a", NO_OUTPUT, False)]


def test_a_call_with_a_problem_is_sent_without_arguments() -> None:
    broken = ToolCall("a", "std.read", problem="its arguments were cut off", raw='{"pa')
    assert sent(user("Hi"), answer(broken))[1] == answer(call("a"))


def test_strings_are_made_valid() -> None:
    history = sent(
        user("a\ud83d"), answer(Text("\udc00b"), call("a", path="x\ud83d", deep=[{"k\ud83d": "\ud83d\ude00"}]))
    )
    assert history[0] == user("a\ufffd")
    assert history[1] == answer(Text("\ufffdb"), call("a", path="x\ufffd", deep=[{"k\ufffd": "😀"}]))


def test_a_users_message_comes_first_and_an_answer_is_never_last() -> None:
    assert sent() == [BEGINNING]
    assert sent(answer(Text("Hi"))) == [BEGINNING, answer(Text("Hi")), CONTINUE]
    assert sent(System("Rule."), answer(Text("Hi")), rules=Rules(late_system=True)) == [
        System("Rule."),
        BEGINNING,
        answer(Text("Hi")),
        CONTINUE,
    ]


def test_two_answers_in_a_row_are_parted() -> None:
    assert sent(user("Hi"), answer(Text("1")), answer(Text("2")), user("?"))[1:4] == [
        answer(Text("1")),
        CONTINUE,
        answer(Text("2")),
    ]


def test_two_messages_of_the_user_are_joined_where_they_must_be() -> None:
    history = (user("1"), user("2"), System("3"))
    assert sent(*history) == [User((Text("1"), Text("2"), Text("<system>\n3\n</system>")))]
    assert sent(*history, rules=Rules(merge_users=False, late_system=True)) == list(history)


def test_a_bridge_where_the_user_may_not_follow_a_result() -> None:
    history = sent(
        user("Hi"), answer(call("a")), Tool((result("a"),)), user("?"), rules=Rules(assistant_after_tools=True)
    )
    assert history[-2:] == [UNDERSTOOD, user("?")]


THOUGHT = Thinking("hm", {"signature": "s"})


def test_thinking_goes_back_whole() -> None:
    kept = answer(THOUGHT, Text("a"), Thinking("", {"signature": "t"}), call("a"))
    assert sent(user("Hi"), kept, rules=SIGNED)[1] == kept


@pytest.mark.parametrize(
    "broken",
    [
        answer(THOUGHT, Text("a"), model="other/m"),
        answer(THOUGHT, Thinking("unsigned"), Text("a")),
        answer(Text("a"), THOUGHT),
        answer(THOUGHT, Text("a"), THOUGHT, Text(" ")),
        answer(THOUGHT, Text(" "), THOUGHT, Text("a")),
        answer(Thinking("\ud83d", {"signature": "s"}), Text("a")),
    ],
)
def test_or_not_at_all(broken: Assistant) -> None:
    history = sent(user("Hi"), broken, rules=SIGNED)
    assert isinstance(history[1], Assistant)
    assert history[1].parts == (Text("a"),)


def test_thinking_alone_is_no_message() -> None:
    assert sent(user("Hi"), answer(THOUGHT), rules=SIGNED) == [user("Hi")]


def test_images_out_of_bounds_are_told_of() -> None:
    bad = [
        Image("image/png", b"no image"),
        Image("image/png", b""),
        Image("image/tiff", b"II*\0"),
        Image("image/png", PNG + b"x" * 4_000_000),
        Image("image/png", PNG.replace((30).to_bytes(4), (8001).to_bytes(4))),
    ]
    (message,) = sent(User((Text("Look"), *bad)))
    assert isinstance(message, User)
    assert [type(part) for part in message.parts] == [Text] * 6
    assert "8001 x 20" in message.text
    assert "5242880" in message.text


def test_a_model_that_sees_no_images_is_told_that_there_was_one() -> None:
    blind = Rules(sees_images=False, images_in_results=True)
    shown = Tool((ToolOutput("a", "std.read", "it:", (Image("image/png", PNG),)),))
    history = (User((Text("Look"), Image("image/png", b"no image"))), answer(call("a")), shown)
    first, _, last = sent(*history, rules=blind)
    note = "[An image was left out: the model can't see images.]"
    assert first == User((Text("Look"), Text(note)))
    assert results(last) == [("a", f"it:\n{note}", False)]


def test_an_image_has_the_type_that_its_bytes_say() -> None:
    assert sent(User((Image("image/jpeg", PNG),))) == [User((Image("image/png", PNG),))]


def test_of_too_many_images_the_oldest_go() -> None:
    history = [User((Text(str(number)), Image("image/png", PNG))) for number in range(102)]
    kept = sent(*history, rules=Rules(merge_users=False))
    has_image = [
        any(isinstance(part, Image) for part in message.parts) for message in kept if isinstance(message, User)
    ]
    assert has_image == [False] * 2 + [True] * 100


def test_many_images_must_be_smaller() -> None:
    large = PNG.replace((30).to_bytes(4), (2001).to_bytes(4))
    few, many = ([User((Image("image/png", large),)) for _ in range(count)] for count in (20, 21))
    assert all(isinstance(part, Image) for message in sent(*few) if isinstance(message, User) for part in message.parts)
    assert not any(
        isinstance(part, Image) for message in sent(*many) if isinstance(message, User) for part in message.parts
    )
