"""The APIs: one file an app, each a toolbox on the world with a method for each API."""
