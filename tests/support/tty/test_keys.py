"""What a terminal sends for a key."""

import pytest

from tests.support.tty.keys import encode, encode_mouse, encode_paste, encode_text

LEGACY = {
    "a": "a",
    "shift+a": "A",
    "+": "+",
    "é": "é",
    "enter": "\r",
    "tab": "\t",
    "shift+tab": "\x1b[Z",
    "escape": "\x1b",
    "backspace": "\x7f",
    "ctrl+backspace": "\x08",
    "ctrl+c": "\x03",
    "ctrl+j": "\n",
    "ctrl+space": "\0",
    "ctrl+_": "\x1f",
    "alt+a": "\x1ba",
    "alt+1": "\x1b1",
    "alt+enter": "\x1b\r",
    "alt+ctrl+a": "\x1b\x01",
    "up": "\x1b[A",
    "ctrl+right": "\x1b[1;5C",
    "shift+end": "\x1b[1;2F",
    "pageup": "\x1b[5~",
    "ctrl+delete": "\x1b[3;5~",
    "f1": "\x1bOP",
    "shift+f1": "\x1b[1;2P",
    "f5": "\x1b[15~",
    "shift+enter": "\x1b[13;2u",
    "ctrl+enter": "\x1b[13;5u",
    "ctrl+shift+p": "\x1b[112;6u",
    "ctrl+1": "\x1b[49;5u",
    "ctrl++": "\x1b[43;5u",
}


@pytest.mark.parametrize(("key", "sent"), LEGACY.items())
def test_keys_in_the_old_encoding(key: str, sent: str) -> None:
    assert encode(key) == sent


KITTY = {
    "a": "\x1b[97;;97u",
    "shift+a": "\x1b[97;2;65u",
    "space": "\x1b[32;;32u",
    "enter": "\x1b[13u",
    "escape": "\x1b[27u",
    "shift+enter": "\x1b[13;2u",
    "shift+tab": "\x1b[9;2u",
    "ctrl+c": "\x1b[99;5u",
    "alt+1": "\x1b[49;3u",
    "up": "\x1b[A",
    "ctrl+up": "\x1b[1;5A",
    "f1": "\x1b[P",
    "f3": "\x1b[13~",
    "delete": "\x1b[3~",
}


@pytest.mark.parametrize(("key", "sent"), KITTY.items())
def test_keys_in_the_kitty_protocol(key: str, sent: str) -> None:
    assert encode(key, kitty=25) == sent


DISAMBIGUATED = {"a": "a", "enter": "\r", "escape": "\x1b[27u", "ctrl+c": "\x1b[99;5u", "shift+tab": "\x1b[9;2u"}


@pytest.mark.parametrize(("key", "sent"), DISAMBIGUATED.items())
def test_keys_when_only_the_ambiguous_ones_change(key: str, sent: str) -> None:
    assert encode(key, kitty=1) == sent


def test_cursor_keys_of_applications() -> None:
    assert encode("up", application_cursor=True) == "\x1bOA"
    assert encode("ctrl+up", application_cursor=True) == "\x1b[1;5A"


def test_text_is_typed_key_by_key() -> None:
    assert encode_text("Hi x\n") == "Hi x\r"
    assert encode_text("Hi", kitty=25) == "\x1b[104;2;72u\x1b[105;;105u"


@pytest.mark.parametrize("key", ["entr", "hyper+a", "ctrl+", ""])
def test_no_such_key(key: str) -> None:
    with pytest.raises(ValueError, match="no such"):
        encode(key)


def test_mouse_and_paste() -> None:
    assert encode_mouse(64, 0, 9, pressed=True) == "\x1b[<64;1;10M"
    assert encode_mouse(0, 3, 4, pressed=False) == "\x1b[<0;4;5m"
    assert encode_paste("a\r\nb\x1b[201~c\n", bracketed=True) == "\x1b[200~a\rb[201~c\r\x1b[201~"
    assert encode_paste("a\nb", bracketed=False) == "a\rb"
