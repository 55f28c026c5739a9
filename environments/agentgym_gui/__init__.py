"""Desktop environments: real applications on an X server without a screen, judged by their files."""

import agentgym  # noqa: F401 - first, since it reads `specs` of this package while it is imported
