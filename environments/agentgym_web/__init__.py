"""Web environments: real pages in a real browser."""

import agentgym  # noqa: F401 - first, since it reads `specs` of this package while it is imported
