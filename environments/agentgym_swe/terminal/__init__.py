"""Terminal-v0: shell tasks on files and small repositories, judged by the files that come out."""
