"""Writing a third party's package; its files are in `template/`, with `$placeholders` in them."""

from agentgym.scaffold.package import Kind, write_package

__all__ = ["Kind", "write_package"]
