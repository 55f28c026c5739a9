"""Git repositories written and read without git: nothing that lies in one is run, whatever it says."""
