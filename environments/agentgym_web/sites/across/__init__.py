"""Tasks that go across several sites; each site is as it is for itself."""
