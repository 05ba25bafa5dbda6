"""What a terminal sends for a key, a mouse button, a paste."""

DISAMBIGUATE = 1
REPORT_ALL = 8

_MODIFIERS = {"shift": 1, "alt": 2, "ctrl": 4, "super": 8}

_CODES = {"enter": 13, "tab": 9, "escape": 27, "backspace": 127, "space": 32}
_LETTERS = {"up": "A", "down": "B", "right": "C", "left": "D", "home": "H", "end": "F"}
_FUNCTION_LETTERS = {"f1": "P", "f2": "Q", "f3": "R", "f4": "S"}
_NUMBERS = {
    "insert": 2,
    "delete": 3,
    "pageup": 5,
    "pagedown": 6,
    "f5": 15,
    "f6": 17,
    "f7": 18,
    "f8": 19,
    "f9": 20,
    "f10": 21,
    "f11": 23,
    "f12": 24,
}
_CONTROLS = {"@": 0, "space": 0, "[": 27, "\\": 28, "]": 29, "^": 30, "_": 31, "/": 31, "?": 127, "backspace": 8}


def encode(key: str, *, kitty: int = 0, application_cursor: bool = False) -> str:
    """The characters for a key such as `a`, `enter`, `ctrl+c`, `shift+tab`, `alt+enter`, `f1`, `ctrl+shift+up`.

    `kitty`: the flags of the kitty keyboard protocol the program has set. Without them, what the old encoding has no
    word for (shift+enter) is sent as terminals do that are set up to tell it apart (CSI u). Raises `ValueError`.
    """
    *names, base = ["+"] if key == "+" else key.replace("++", "+plus").split("+")
    base = "+" if base == "plus" else base
    if unknown := [name for name in names if name not in _MODIFIERS]:
        raise ValueError(f"no such modifier in {key!r}: {unknown[0]}")
    modifiers = sum(_MODIFIERS[name] for name in names)
    if base in _LETTERS or base in _FUNCTION_LETTERS or base in _NUMBERS:
        return _function(base, modifiers, kitty=kitty, application_cursor=application_cursor)
    if base not in _CODES and len(base) != 1:
        raise ValueError(f"no such key: {key!r}")
    ambiguous = base == "escape" or modifiers > 1 or (modifiers == 1 and base in _CODES and base != "space")
    if kitty & REPORT_ALL or (kitty & DISAMBIGUATE and ambiguous):
        return _csi_u(base, modifiers, text=bool(kitty & REPORT_ALL))
    plain = _plain(base, modifiers)
    return _csi_u(base, modifiers, text=False) if plain is None else plain


def encode_text(text: str, *, kitty: int = 0) -> str:
    """The characters for typed text, key by key."""
    return "".join(encode(_key_of(char), kitty=kitty) for char in text)


def encode_mouse(button: int, x: int, y: int, *, pressed: bool) -> str:
    """A mouse report (SGR) for a cell counted from 0. Buttons: 0 left, 1 middle, 2 right, 64 wheel up, 65 down."""
    return f"\x1b[<{button};{x + 1};{y + 1}{'M' if pressed else 'm'}"


def encode_paste(text: str, *, bracketed: bool) -> str:
    """Pasted text: line ends as the enter key sends them, escape characters left out as terminals do."""
    safe = text.replace("\r\n", "\n").replace("\n", "\r").replace("\x1b", "")
    return f"\x1b[200~{safe}\x1b[201~" if bracketed else safe


def _key_of(char: str) -> str:
    if char.isascii() and char.isupper():
        return f"shift+{char.lower()}"
    return {"\n": "enter", "\r": "enter", "\t": "tab", " ": "space"}.get(char, char)


def _function(base: str, modifiers: int, *, kitty: int, application_cursor: bool) -> str:
    modified = f";{modifiers + 1}" if modifiers else ""
    if base in _NUMBERS:
        return f"\x1b[{_NUMBERS[base]}{modified}~"
    if base == "f3" and kitty:
        return f"\x1b[13{modified}~"  # its letter would read as a cursor report
    letter = _LETTERS.get(base) or _FUNCTION_LETTERS[base]
    if modifiers:
        return f"\x1b[1{modified}{letter}"
    single_shift = base in _FUNCTION_LETTERS or application_cursor
    return f"\x1bO{letter}" if single_shift and not kitty else f"\x1b[{letter}"


def _csi_u(base: str, modifiers: int, *, text: bool) -> str:
    code = _CODES.get(base) or ord(base.lower())
    shown = " " if base == "space" else base.upper() if modifiers == 1 else base
    parts = [str(code), str(modifiers + 1) if modifiers else ""]
    if text and len(shown) == 1 and modifiers < 2:
        parts.append(str(ord(shown)))
    return f"\x1b[{';'.join(parts).rstrip(';')}u"


def _plain(base: str, modifiers: int) -> str | None:
    """The old encoding; None if it has no word for the key."""
    if modifiers & 2:
        inner = _plain(base, modifiers & ~2)
        return None if inner is None else f"\x1b{inner}"
    if modifiers == 0:
        return chr(_CODES[base]) if base in _CODES else base
    if modifiers == 1:
        return "\x1b[Z" if base == "tab" else base.upper() if base not in _CODES else None
    return _control(base) if modifiers == 4 else None


def _control(base: str) -> str | None:
    if base in _CONTROLS:
        return chr(_CONTROLS[base])
    if len(base) == 1 and base.isascii() and base.isalpha():
        return chr(ord(base.lower()) & 0x1F)
    return None
