"""Resources that are kept ready in a pool and leased: generic in the resource.

A `Maker` says how a resource is made, reset and ended, and what it costs. This package knows no particular resource.
"""
