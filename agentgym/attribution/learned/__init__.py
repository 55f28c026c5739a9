"""Step credit from a model's predictions or a judge's ratings."""
