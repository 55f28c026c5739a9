"""The command line: one thin file per command, each over one public function; `main` dispatches."""
