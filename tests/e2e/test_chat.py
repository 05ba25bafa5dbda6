"""Reading back in a real terminal: selecting, copying, finding, walking, and what is new below."""

from tests.e2e.conftest import World, say, wait_ready
from tests.support.llm_server import Call, Gate, LLMServer, Reply

ANSWER = "The **loop** ends\none item early.\n\n```py\nfor item in items:\n    pass\n```"


def test_what_the_mouse_selects_is_copied_by_a_key(world: World) -> None:
    with LLMServer([Reply(ANSWER)]) as server:
        world.configure(server)
        terminal = world.start()
        say(terminal, "why?")
        terminal.wait_for("pass")
        start, end = terminal.find("loop"), terminal.find("early")
        assert start is not None
        assert end is not None
        terminal.drag(start, (end[0] + 4, end[1]))
        terminal.wait_for(lambda terminal: terminal.cell(*start).reverse)
        terminal.press("ctrl+c")
        terminal.wait_for("copied the selection")
        assert terminal.clipboard == "loop ends one item early"
        say(terminal, "typing goes on")


def test_keys_walk_copy_and_lead_back_to_the_prompt(world: World) -> None:
    script = [Reply(ANSWER), Reply(tool_calls=[Call("std_list", {"path": "."})]), Reply("That is all.")]
    with LLMServer(script) as server:
        world.configure(server)
        terminal = world.start()
        say(terminal, "why?")
        terminal.wait_for("pass")
        say(terminal, "look")
        terminal.wait_for("That is all.")
        terminal.press("alt+2")
        terminal.wait_for("j/k move")
        terminal.press("g", "j", "y")
        terminal.wait_for("copied the entry")
        assert terminal.clipboard == ANSWER
        terminal.press("Y")
        terminal.wait_for("copied the code")
        assert terminal.clipboard == "for item in items:\n    pass"
        terminal.press("k", "e")
        terminal.wait_for("│ why?")
        terminal.press("ctrl+c")
        terminal.wait_gone("│ why?")


def test_what_is_found_after_a_resume_stays_marked_while_the_terminal_is_resized(world: World) -> None:
    script = [Reply(f"Answer {number}: the value is {number}." + "\n\nword" * 30) for number in range(6)]
    with LLMServer(script) as server:
        world.configure(server)
        terminal = world.start()
        for number in range(6):
            say(terminal, f"question {number}")
            terminal.wait_for(lambda _, number=number: len(server.requests) == number + 1)
            terminal.wait_for("─ build ")
        terminal.press("ctrl+d")
        terminal.wait_exit()
        terminal = world.start("--continue")
        wait_ready(terminal)
        terminal.wait_for("word")
        terminal.press("ctrl+f")
        terminal.wait_for("   find")
        terminal.type_text("the value is 2")
        terminal.wait_for("1 of 1")
        terminal.wait_for("Answer 2: the value is 2.")
        terminal.resize(60, 20)
        terminal.wait_for("Answer 2: the value is 2.")
        place = terminal.find("the value is 2")
        assert place is not None
        terminal.wait_for(lambda terminal: (at := terminal.find("the value is 2.")) and terminal.cell(*at).reverse)
        terminal.press("escape")
        terminal.wait_for(lambda terminal: (at := terminal.find("the value is 2.")) and not terminal.cell(*at).reverse)


def test_scrolled_up_one_is_told_of_what_is_new_below_and_stays_where_one_is(world: World) -> None:
    first = "\n\n".join(f"line {number}" for number in range(60))
    gate = Gate()
    with LLMServer([Reply(first), Reply([gate, "something new"])]) as server:
        world.configure(server)
        terminal = world.start()
        say(terminal, "go")
        terminal.wait_for("line 59")
        terminal.type_text("more")
        terminal.wait_for("more")
        terminal.press("enter")
        terminal.wait_for("┃ more")
        terminal.press("pageup", "pageup")
        terminal.wait_gone("┃ more")
        gate.open()
        terminal.wait_for("new below")
        assert "something new" not in terminal.screen_text()
        terminal.press("ctrl+end")
        terminal.wait_for("something new")
        terminal.wait_gone("new below")


def test_the_palette_finds_a_command_by_what_it_does(world: World) -> None:
    with LLMServer([]) as server:
        world.configure(server)
        terminal = world.start()
        wait_ready(terminal)
        terminal.press("ctrl+p")
        terminal.wait_for("type to search")
        terminal.type_text("begin a new")
        terminal.wait_gone("/cost")
        terminal.wait_for("/new")
        terminal.press("escape")
        terminal.wait_gone("─ commands ─")
        terminal.press("ctrl+p")
        terminal.wait_for("type to search")
        terminal.type_text("help")
        terminal.press("enter")
        terminal.wait_for("switch it on or off")
