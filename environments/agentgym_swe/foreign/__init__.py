"""Tasks of SWE-bench, SWE-Gym, SWE-smith, R2E-Gym and SWE-rebench: their rows, in images that the user brings."""
