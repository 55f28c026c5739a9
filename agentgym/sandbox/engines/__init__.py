"""What runs a sandbox: containers of Docker or Podman, bubblewrap, a bare process."""
