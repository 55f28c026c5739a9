"""Players that solve pages of MiniWoB++ from what is shown, one function a page; `player` makes scripts of them."""
