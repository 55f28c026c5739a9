"""The kinds of requests of a workbench, one file for each set of tools; `all_requests` lists them."""
