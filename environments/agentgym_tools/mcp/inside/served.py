"""Imports the module of a server and runs it: at once, or as the server of the first that connects.

Where a socket is named, the import is over before anybody waits for it. The server itself begins with the connection,
which becomes its standard input and output, so that it finds the work folder as it would have found it.
"""

from __future__ import annotations

import gc
import importlib
import os
import socket
import sys

SOCKET = "AGENTGYM_MCP_SOCKET"


def main() -> None:
    """The arguments are the module, then those of its server."""
    module, *arguments = sys.argv[1:]
    path = os.environ.pop(SOCKET, "")
    listener = socket.socket(socket.AF_UNIX)
    if path:
        listener.bind(path)
        listener.listen(1)
    gc.disable()  # an import makes much and leaves little: a fifth of its time is looking for rubbish
    run = importlib.import_module(module).main
    gc.freeze()
    gc.enable()
    if path:
        connection, _ = listener.accept()
        os.dup2(connection.fileno(), 0)
        os.dup2(connection.fileno(), 1)
        connection.close()
        os.unlink(path)
    listener.close()
    sys.argv = [module, *arguments]
    run()


if __name__ == "__main__":
    main()
