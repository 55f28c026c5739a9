"""The actions of agents, in BrowserGym's syntax, by kind; `acting` puts them together."""
