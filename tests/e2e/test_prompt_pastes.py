"""Large pastes and pictures in the prompt, in a real terminal."""

import base64
import json
import struct
import zlib
from pathlib import Path

from tests.e2e.conftest import World, told, wait_ready
from tests.support.llm_server import Gate, LLMServer, Reply
from tests.support.terminal import Terminal

FIFTY = "\n".join(f"line {number}" for number in range(1, 51))


def png(file: Path) -> bytes:
    """Write a whole picture of one grey pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head, pixel = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0), zlib.compress(b"\0\x80")
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixel) + chunk(b"IEND", b"")
    file.write_bytes(data)
    return data


def ready(world: World, server: LLMServer) -> Terminal:
    """The program, ready to be typed into."""
    world.configure(server)
    terminal = world.start()
    wait_ready(terminal)
    return terminal


def test_a_paste_of_200_kb_in_small_pieces_is_one_chip_and_is_sent_to_the_byte(world: World) -> None:
    text = "\n".join(f"{number:05d} käse 日本 \t'\"\\ " + "x" * 40 for number in range(3_300))
    with LLMServer([Reply("Got it.")]) as server:
        terminal = ready(world, server)
        terminal.type_text("sum up: ")
        terminal.wait_for("│ sum up:")
        pasted = "\x1b[200~" + text.replace("\n", "\r") + "\x1b[201~"
        for start in range(0, len(pasted), 1_000):
            terminal.send(pasted[start : start + 1_000])
        terminal.wait_for("│ sum up: [paste 1: 3300 lines]")
        assert server.requests == []
        terminal.press("enter")
        terminal.wait_for("Got it.")
        assert server.requests[0].user_texts == [f"sum up: {text}"]


def test_a_paste_is_opened_edited_and_sent_as_it_was_edited(world: World) -> None:
    with LLMServer([Reply("Got it.")]) as server:
        terminal = ready(world, server)
        terminal.paste(FIFTY)
        terminal.wait_for("│ [paste 1: 50 lines]")
        terminal.wait_for("Ctrl+X opens the paste")
        terminal.press("ctrl+x")
        terminal.wait_for("│ line 50")
        terminal.press(*["up"] * 47, "end")
        terminal.type_text("!")
        terminal.wait_for("│ line 3!")
        terminal.press("enter")
        terminal.wait_for("Got it.")
        edited = FIFTY.replace("line 3\n", "line 3!\n")
        assert server.requests[0].user_texts == [edited]


def test_what_is_pasted_unread_runs_no_command_and_names_no_file(world: World) -> None:
    world.write("secret.txt", "the secret")
    pastes = [f"{start}\n{FIFTY}\n @secret.txt" for start in ("!touch ran", "/quit", "!!touch ran")]
    with LLMServer([Reply(f"Got {number}.") for number in range(3)]) as server:
        terminal = ready(world, server)
        for number, pasted in enumerate(pastes):
            terminal.paste(pasted)
            terminal.wait_for("│ [paste 1: 52 lines]")
            terminal.press("enter")
            terminal.wait_for(f"Got {number}.")
            assert server.requests[number].user_texts[-1] == pasted
        assert not (world.project / "ran").exists()


def test_a_chip_is_deleted_by_one_key_and_comes_back_by_another(world: World) -> None:
    with LLMServer([Reply("Got it.")]) as server:
        terminal = ready(world, server)
        terminal.type_text("a")
        terminal.paste(FIFTY)
        terminal.wait_for("│ a[paste 1: 50 lines]")
        terminal.press("backspace")
        terminal.wait_gone("paste 1")
        terminal.press("ctrl+z")
        terminal.wait_for("│ a[paste 1: 50 lines]")
        terminal.press("enter")
        terminal.wait_for("Got it.")
        assert server.requests[0].user_texts == [f"a{FIFTY}"]


def test_the_path_of_a_picture_becomes_the_picture_and_stays_in_the_session(world: World) -> None:
    file = world.project / "my shot.png"
    data = png(file)
    with LLMServer([Reply("A grey dot."), Reply("Still grey.")]) as server:
        terminal = ready(world, server)
        terminal.type_text("what is ")
        terminal.wait_for("│ what is")
        terminal.paste(f"'{file}'")
        terminal.wait_for(f"│ what is [image 1: my shot.png {len(data)} B]")
        terminal.press("enter")
        terminal.wait_for("A grey dot.")
        request = server.requests[0]
        assert request.user_texts == [f"what is [image 1: my shot.png {len(data)} B]"]
        assert base64.b64encode(data).decode() in json.dumps(request.body)
        file.unlink()
        terminal.press("ctrl+d")
        terminal.wait_exit()
        terminal = world.start("--continue")
        wait_ready(terminal)
        told(terminal, "what is [image 1: my shot.png")
        terminal.type_text("and now\r")
        terminal.wait_for("Still grey.")
        assert base64.b64encode(data).decode() in json.dumps(server.requests[1].body)


def test_the_cursor_is_on_the_caret_s_cell_also_behind_a_chip_and_wide_letters(world: World) -> None:
    world.write_config('model = "demo/panto-demo"\n')
    terminal = world.start()
    wait_ready(terminal)

    def is_behind(text: str, columns: int) -> None:
        terminal.wait_for(f"│ {text}")

        def on_it(terminal: Terminal) -> bool:
            found = terminal.find(f"│ {text}")
            cursor = terminal.cursor
            return found is not None and (cursor.x, cursor.y) == (found[0] + 2 + columns, found[1])

        terminal.wait_for(on_it)

    terminal.type_text("日本")
    is_behind("日本", 4)
    terminal.paste(FIFTY)
    is_behind("日本[paste 1: 50 lines]", 23)
    terminal.type_text("e\u0301x")
    is_behind("日本[paste 1: 50 lines]e\u0301x", 25)
    terminal.press("left", "left", "left")
    is_behind("日本", 4)
    terminal.press("left")
    is_behind("日", 2)


def test_a_picture_that_can_not_be_read_is_told_of_and_its_path_stays(world: World) -> None:
    broken = world.project / "broken.png"
    broken.write_text("no picture")
    world.write_config('model = "demo/panto-demo"\n')
    terminal = world.start(columns=200)
    wait_ready(terminal)
    terminal.paste(str(broken))
    told(terminal, "broken.png is no picture that models can be shown")
    told(terminal, "│", "broken.png", "│")


def test_a_picture_that_was_queued_comes_back_with_its_text(world: World) -> None:
    file = world.project / "shot.png"
    data = png(file)
    with LLMServer([Reply(["thinking", Gate()]), Reply("A grey dot.")]) as server:
        terminal = ready(world, server)
        terminal.type_text("wait\r")
        terminal.wait_for("thinking")
        terminal.paste(str(file))
        terminal.wait_for("│ [image 1: shot.png")
        terminal.press("enter")
        terminal.wait_for("1 queued")
        terminal.press("escape")
        terminal.wait_for("│ [image 1: shot.png")
        terminal.press("enter")
        terminal.wait_for("A grey dot.")
        assert base64.b64encode(data).decode() in json.dumps(server.requests[-1].body)
