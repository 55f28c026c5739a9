"""Resources that are kept ready in a pool and leased: generic in the resource.

A `Maker` says how one is made, comes back and ends, and what it costs. This package knows no particular resource.
"""
