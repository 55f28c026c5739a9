"""`agentgym COMMAND`: finds the command, reads its arguments, and turns errors into one clear line and an exit code.

What the commands do is elsewhere: each module of this package calls one public function.
"""

from __future__ import annotations

import errno
import functools
import importlib
import logging
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile
from typing import Any

import tyro

from agentgym import __version__
from agentgym.cli.options import RefusedValueError
from agentgym.cli.output import results_apart
from agentgym.errors import (
    AgentGymError,
    ConfigError,
    ContractError,
    HeldOutError,
    MissingExtraError,
    TaskError,
    TemplateError,
    UnknownNameError,
    UnsupportedSpecError,
    WrongModelError,
    WrongRunError,
)
from agentgym.origin import describe_error
from agentgym.stopping import terminable

COMMANDS = {
    "list": "list environments and their suites",
    "check": "check that environments and suites keep their contracts",
    "new": "write a package with an environment of your own",
    "play": "play an environment in the terminal",
    "serve": "serve an environment over the network",
    "train": "train an agent from a configuration file",
    "eval": "evaluate a policy on a split of a suite",
    "record": "record episodes of one or more policies, as offline data",
    "export": "export a run: its episodes as a dataset, its patches as predictions, or its screenshots",
    "compare": "compare two evaluations task by task",
    "attribute": "compute which turn earned what in a finished run",
    "report": "write the report page of a run",
    "swe": "prepare the packages of repair tasks, make such tasks, and judge repairs",
    "gui": "check task files of OSWorld, or take pictures of applications with their targets",
    "web": "record web pages, replay an archive of them, or serve a site",
    "sweep": "remove sandboxes that killed processes left behind",
    "images": "build, list, check or remove the container images of sandboxes",
    "doctor": "show what is installed, what is missing and how to get it",
}
OK, FAILED, USAGE = 0, 1, 2
_SPINS = ("GOMP_SPINCOUNT", "10000")
"""How often torch's threads look for work before they sleep. The usual milliseconds are long beside other programs."""
_UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)
_OF_A_FAMILY = ("swe", "gui", "web")
"""Commands whose modules are in `families`."""
_OWN_STDOUT = ("serve",)
"""Commands that share their stdout with nobody else's results: a server's address, or the messages of a protocol."""
_USAGE_ERRORS = (
    *(ConfigError, HeldOutError, MissingExtraError, TaskError, TemplateError),
    *(UnknownNameError, UnsupportedSpecError, WrongModelError, WrongRunError),
)


def usage() -> str:
    """The text of `agentgym --help`."""
    lines = [f"  {name:<10} {summary}" for name, summary in COMMANDS.items()]
    return "\n".join(
        [
            "usage: agentgym COMMAND [options]",
            "",
            *lines,
            "",
            "agentgym COMMAND --help shows the options of a command. With --debug, a command shows the traceback of an",
            "error. Results go to stdout, and progress goes to stderr. The exit code is 0 for success, 1 for a failure",
            "and 2 for wrong usage or settings.",
        ]
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: Arguments without the program's name; None takes the process's.

    Returns:
        The exit code: 0 fine, 1 failed, 2 wrong usage or settings.
    """
    given = list(sys.argv[1:] if argv is None else argv)
    is_debug = "--debug" in given
    args = [arg for arg in given if arg != "--debug"]
    _open_closed_streams()
    if "OMP_WAIT_POLICY" not in os.environ:  # torch reads both as it is imported
        os.environ.setdefault(*_SPINS)
    try:
        if not args or args[0] in ("-h", "--help", "--version"):
            return _about(args)
        with _shown_log(is_debug), terminable():
            return _run(args[0], args[1:])
    except AgentGymError as error:
        if is_debug:
            raise
        print(f"{_name_of(args)}: {error}", file=sys.stderr)
        return USAGE if isinstance(error, _USAGE_ERRORS) else FAILED
    except KeyboardInterrupt:
        print(f"{_name_of(args)}: interrupted", file=sys.stderr)
        return FAILED
    except BrokenPipeError:
        _leave_stdout_silent()
        return FAILED
    except OSError as error:
        if is_debug or error.errno not in _UNWRITABLE:
            raise
        where = f" {error.filename}" if error.filename else ""
        said = f"cannot write{where}: {error.strerror}; free space and run it again"
        print(f"{_name_of(args)}: {said}", file=sys.stderr)
        _leave_stdout_silent()
        return FAILED


def _name_of(args: Sequence[str]) -> str:
    """What the user called, such as "agentgym play", or "agentgym swe make" where the command has actions."""
    command = args[0] if args else ""
    module = sys.modules.get(f"agentgym.cli.families.{command}")
    action = next((arg for arg in args[1:] if arg in getattr(module, "ACTIONS", {})), None)
    return " ".join(filter(None, ("agentgym", command, action)))


def _about(args: Sequence[str]) -> int:
    """The usage or the version."""
    text = f"agentgym {__version__}" if args and args[0] == "--version" else usage()
    print(text, file=sys.stdout if args else sys.stderr, flush=True)
    return OK if args else USAGE


def _open_closed_streams() -> None:
    """Let standard streams that were closed before the start lead nowhere, else the next file takes their number."""
    for number, stream, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, stream) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            for name in (stream, f"__{stream}__"):
                setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 - until the end


def _leave_stdout_silent() -> None:
    """Send what is left in the buffer of stdout nowhere, so that the interpreter's last flush is silent."""
    try:
        number = sys.stdout.fileno()
    except (OSError, ValueError):  # a stand-in for stdout
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), number)


@contextmanager
def _shown_log(is_debug: bool) -> Iterator[None]:
    """With --debug also show what the command goes on after: tracebacks of failed checks and episodes."""
    if not is_debug:
        yield
        return
    logger, handler = logging.getLogger("agentgym"), logging.StreamHandler()
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)


def _run(command: str, args: Sequence[str]) -> int:
    if command not in COMMANDS:
        raise UnknownNameError("command", command, COMMANDS)
    _require_once(args)
    folder = "agentgym.cli.families" if command in _OF_A_FAMILY else "agentgym.cli"
    module = importlib.import_module(f"{folder}.{command}")
    arranged = module.arrange(args) if hasattr(module, "arrange") else list(args)
    run, prog, actions = module.run, f"agentgym {command}", getattr(module, "ACTIONS", {})
    action = next((arg for arg in arranged if arg in actions), None)
    if action is not None:
        run, prog = actions[action], f"{prog} {action}"
        arranged.remove(action)
    elif actions and arranged and not arranged[0].startswith("-"):
        raise UnknownNameError("action", arranged[0], actions)
    work = run if command in _OWN_STDOUT else _with_results_apart(run)
    try:
        code: int = tyro.cli(work, prog=prog, args=arranged, config=(tyro.conf.FlagCreatePairsOff,))
    except RefusedValueError as refused:
        raise ConfigError(str(refused)) from None
    except SystemExit as end:  # tyro's way of ending after --help (0) and after unreadable arguments (2)
        if end.code == USAGE and hasattr(module, "ON_WRONG_USAGE"):
            print(f"{prog}: {module.ON_WRONG_USAGE}", file=sys.stderr)
        return end.code if isinstance(end.code, int) else FAILED
    sys.stdout.flush()
    return code


def _require_once(args: Sequence[str]) -> None:
    """Refuse an option that is given twice, of which only the last one would count.

    Raises:
        ConfigError: Names the option.
    """
    given = [arg.partition("=")[0].replace("_", "-") for arg in takewhile(lambda arg: arg != "--", args)]
    options = Counter(arg for arg in given if arg.startswith("--") and arg != "--help")
    twice = next((name for name, times in options.items() if times > 1), None)
    if twice is not None:
        raise ConfigError(f"{twice} is given twice; give it once, and if it takes several values, put all behind it")


def _with_results_apart(run: Callable[..., int]) -> Callable[..., int]:
    """A command whose stdout is for results alone, and which does not end without a word where something exits."""

    @functools.wraps(run)
    def work(*args: Any, **options: Any) -> int:
        with results_apart():
            try:
                return run(*args, **options)
            except SystemExit as end:
                raise ContractError(f"the command was ended from within: {describe_error(end)}") from end

    return work


if __name__ == "__main__":
    sys.exit(main())
