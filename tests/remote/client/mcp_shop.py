"""An MCP server written with the mcp package: a shop whose prices depend on the seed; over stdio."""

import random
import sys
import time

from mcp.server.fastmcp import FastMCP

server = FastMCP("shop")
prices = {name: random.Random(f"{sys.argv[1]}{name}").randrange(100) for name in ("apple", "pear")}
sold: list[str] = []


@server.tool()
def price(fruit: str) -> str:
    """The price of a fruit."""
    if fruit not in prices:
        raise ValueError(f"we have no {fruit}")
    return str(prices[fruit])


@server.tool()
def buy(fruit: str, count: int = 1) -> str:
    """Buy a fruit."""
    sold.extend([fruit] * count)
    return f"sold {len(sold)} so far"


@server.tool()
def wait(seconds: float) -> str:
    """Take your time."""
    for _ in range(int(seconds * 10)):  # which is longer where the process is stopped meanwhile
        time.sleep(0.1)
    return "waited"


@server.tool()
def shout(count: int) -> str:
    """Say much."""
    return "x" * count


@server.tool()
def die() -> str:
    """End the server."""
    sys.stdout.flush()
    import os

    os._exit(3)


if __name__ == "__main__":
    server.run()
