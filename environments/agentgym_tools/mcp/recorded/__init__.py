"""Tools of the servers from PyPI as they list them: `python -m agentgym_tools.mcp.recorded` writes them anew."""
