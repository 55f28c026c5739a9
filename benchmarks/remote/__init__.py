"""Steps over the network, beside OpenEnv's server and client."""
