"""McpTools-v0: the tools of MCP servers, which run in the sandbox, and tasks that are graded by what comes of them."""
