"""The sets of tools of a workbench, one a file; `all_sets` lists them."""
