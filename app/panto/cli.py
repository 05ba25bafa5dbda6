"""The command line: argv to the screen, or to a subcommand that prints and exits."""

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

COMMANDS: dict[str, str] = {
    "auth": "list where each provider's key comes from; store and remove keys",
    "config": "print the effective config, with the origin of each value",
    "doctor": "look for what is wrong: terminal, tools, places, settings, providers",
    "extensions": "print every extension, with its layer and state",
    "models": "print the models that there are, and what is known of them",
}
_WORD = re.compile(r"[a-z][a-z-]*")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program. Gives the exit status: 0, or 2 for arguments that make no sense."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments and arguments[0] in _OWN_ARGUMENTS:
        return _OWN_ARGUMENTS[arguments[0]](arguments[1:])
    if arguments and arguments[0] in COMMANDS:
        return _print(arguments[0], arguments[1:])
    if _calls_subcommand(arguments):
        return _subcommand(arguments[0], arguments[1:])
    return _screen(arguments)


def _calls_subcommand(arguments: Sequence[str]) -> bool:
    """Whether these call an extension's subcommand: a word before another word, or one that is no directory's name."""
    if not arguments or _WORD.fullmatch(arguments[0]) is None:
        return False
    followed = len(arguments) > 1 and not arguments[1].startswith("-")
    return followed or not Path(arguments[0]).exists()


def _parser() -> argparse.ArgumentParser:
    listed = "\n".join(f"  panto-py {name:<12} {text}" for name, text in COMMANDS.items())
    listed += "\n  panto-py NAME         what an extension offers there; panto-py extensions names them"
    parser = argparse.ArgumentParser(
        prog="panto-py",
        description="A coding agent for the terminal. Without a command it opens the screen.",
        epilog=f"commands:\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("directory", nargs="?", default=".", metavar="DIR", help="the project (default: here)")
    parser.add_argument("--model", metavar="PROVIDER/MODEL", help="the model to talk to")
    parser.add_argument("--mode", choices=("plan", "ask", "build"), help="what may happen without asking")
    parser.add_argument("--theme", metavar="NAME", help="the colours of the screen: the name of a theme")
    parser.add_argument("--demo", action="store_true", help="talk to the built-in demo model, which needs no key")
    resume = parser.add_mutually_exclusive_group()
    resume.add_argument("--continue", dest="resume", action="store_const", const="", help="go on with the last session")
    resume.add_argument("--resume", metavar="ID", help="go on with the session whose id begins so")
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    return parser


def _screen(arguments: Sequence[str]) -> int:
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.version:
        return _version()
    project = _directory(parser, given.directory)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        parser.error("the screen needs a terminal: standard input or output is none")
    from panto.tui.early_keys import kept_keys  # noqa: PLC0415 - only what is used is imported

    with kept_keys() as typed:
        from panto.program import Options  # noqa: PLC0415
        from panto.tui.app import run  # noqa: PLC0415

        return run(Options(project, given.model, given.mode, given.theme, given.demo, resume=given.resume), typed)


def _directory(parser: argparse.ArgumentParser, text: str) -> Path:
    """The project's directory; ends the program if it is none, or can't be looked into."""
    path = Path(text).expanduser()
    try:
        next(path.iterdir(), None)
    except OSError as error:
        parser.error(f"{path}: {error.strerror}; give a directory that you can read")
    return path


def _version() -> int:
    from importlib.metadata import version  # noqa: PLC0415 - slow to import, and seldom asked for

    print(f"panto-py {version('panto-py')}")
    return 0


def _print(command: str, arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog=f"panto-py {command}", description=COMMANDS[command])
    parser.add_argument("directory", nargs="?", default=".", metavar="DIR", help="the project (default: here)")
    if command == "extensions":
        parser.add_argument("--json", action="store_true", help="print one JSON array, for machines")
    given = parser.parse_args(arguments)
    project = _directory(parser, given.directory)
    from panto import reports  # noqa: PLC0415 - only what is used is imported

    as_json = command == "extensions" and given.json
    report: dict[str, Callable[[Path], list[str]]] = {
        "config": reports.config,
        "extensions": reports.extensions_as_json if as_json else reports.extensions,
    }
    print("\n".join(report[command](project)))
    return 0


def _subcommand(name: str, arguments: Sequence[str]) -> int:
    from panto import reports  # noqa: PLC0415 - only what is used is imported

    return reports.subcommand(Path.cwd(), name, arguments)


def _auth(arguments: Sequence[str]) -> int:
    from panto.auth import AuthError  # noqa: PLC0415 - only what is used is imported
    from panto.auth_command import run_auth  # noqa: PLC0415

    try:
        print("\n".join(run_auth(Path.cwd(), arguments)))
    except AuthError as error:
        print(f"panto-py auth: {error}" + (f"\n{error.hint}" if error.hint else ""), file=sys.stderr)
        return 2
    return 0


def _models(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="panto-py models", description=COMMANDS["models"])
    parser.add_argument("provider", nargs="?", metavar="PROVIDER", help="one provider only (default: all)")
    given = parser.parse_args(arguments)
    from panto.models_report import UnknownProviderError, models  # noqa: PLC0415 - only what is used is imported

    try:
        print("\n".join(models(Path.cwd(), given.provider)))
    except UnknownProviderError as error:
        parser.error(str(error))
    return 0


def _doctor(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="panto-py doctor", description=COMMANDS["doctor"])
    parser.add_argument("directory", nargs="?", default=".", metavar="DIR", help="the project (default: here)")
    project = _directory(parser, parser.parse_args(arguments).directory)
    from panto.doctor import doctor  # noqa: PLC0415 - only what is used is imported

    lines, is_well = doctor(project)
    print("\n".join(lines))
    return 0 if is_well else 1


_OWN_ARGUMENTS: dict[str, Callable[[Sequence[str]], int]] = {
    "auth": _auth,
    "doctor": _doctor,
    "models": _models,
}
"""Commands that take something else than a directory, or give an exit status of their own."""


if __name__ == "__main__":
    sys.exit(main())
