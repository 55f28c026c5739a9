"""Writing a third party's package; its files are in `template/`, with `$placeholders` in them."""

from agentgym.scaffold.package import write_package

__all__ = ["write_package"]
