"""File name patterns."""

import pytest
from hypothesis import given, strategies as st

from panto import ToolError
from panto_std._pattern import expanded, matcher, split_base


@pytest.mark.parametrize(
    ("pattern", "matches", "others"),
    [
        ("*.py", ["a.py", "src/deep/b.py"], ["a.pyc", "a.py/x"]),
        ("Makefile", ["Makefile", "sub/Makefile"], ["Makefile.am", "makefile"]),
        ("src/*", ["src/a"], ["src/a/b", "x/src/a"]),
        ("**/*.py", ["a.py", "x/y/a.py"], ["a.txt"]),
        ("src/**/*.ts", ["src/a.ts", "src/x/y/a.ts"], ["a.ts", "lib/src/a.ts"]),
        ("src/**", ["src/a", "src/a/b"], ["src", "a/src/b"]),
        ("**", ["a", "a/b"], []),
        ("**/test_*/**", ["test_a/x", "b/test_c/d/e"], ["test_a"]),
        ("*.{js,ts}", ["a.js", "x/b.ts"], ["a.jsx", "a.{js,ts}"]),
        ("{src,lib}/**/*.{c,h}", ["src/a.c", "lib/x/a.h"], ["bin/a.c"]),
        ("a{b,{c,d}}e", ["abe", "ace", "ade"], ["ae"]),
        ("a{b}c", ["a{b}c"], ["abc"]),
        ("f?.[ch]", ["fo.c", "x/fa.h"], ["foo.c", "f/.c", "f.c"]),
        ("[!a-c]x", ["dx"], ["ax", "/x"]),
        ("[]x]", ["]", "x"], ["y"]),
        ("[a", ["[a"], ["a"]),
        (r"\*", ["*"], ["a"]),
        (r"[\d^&&~]", ["\\", "d", "^", "&", "~"], ["1"]),
        ("./src/a.py", ["src/a.py"], ["a.py"]),
        ("/a.py", ["a.py"], ["x/a.py"]),
        ("!*.py", ["a.txt"], ["a.py"]),
        (".*", [".env", "x/.env"], ["env"]),
        ("a+(b).py", ["a+(b).py"], ["aab.py"]),
        ("a\nb*", ["a\nbc"], ["a"]),
    ],
)
def test_what_patterns_mean(pattern: str, matches: list[str], others: list[str]) -> None:
    wanted = matcher(pattern)
    assert [path for path in [*matches, *others] if wanted(path)] == matches


@given(st.text(max_size=20), st.text(max_size=20))
def test_any_pattern_is_taken_or_refused_in_words(pattern: str, path: str) -> None:
    try:
        matcher(pattern)(path)
    except ToolError as error:
        assert "pattern" in str(error)


@given(st.text(st.characters(blacklist_characters="*?[]{}\\!/"), min_size=1))
def test_plain_names_mean_themselves(name: str) -> None:
    assert matcher(name)(name)
    assert matcher(name)(f"a/{name}")
    assert not matcher(name)(f"a{name}")


def test_too_many_alternatives_are_refused() -> None:
    assert len(expanded("{a,b,c}{d,e,f}")) == 9
    with pytest.raises(ToolError, match="more than 200 patterns"):
        expanded("{a,b}" * 30)


@pytest.mark.parametrize(
    ("pattern", "base", "rest"),
    [
        ("src/*.py", "", "src/*.py"),
        ("/etc/*.conf", "/etc", "*.conf"),
        ("/*.conf", "/", "*.conf"),
        ("../lib/**/*.py", "../lib", "**/*.py"),
        ("~/x.txt", "~", "x.txt"),
        ("/a/b", "/a", "b"),
    ],
)
def test_patterns_that_lead_elsewhere(pattern: str, base: str, rest: str) -> None:
    assert split_base(pattern) == (base, rest)
