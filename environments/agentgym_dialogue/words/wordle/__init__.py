"""Find a hidden five-letter word from marks on the letters of guesses.

The rules are in `env`, the word list in `words`, players in `scripts`, the tasks of the two
suites come from `generate` and `generate_tries`.
"""
