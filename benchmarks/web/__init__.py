"""Pages of MiniWoB++ under agentgym, Farama's miniwob and BrowserGym: the same rewards, and at what speed."""
