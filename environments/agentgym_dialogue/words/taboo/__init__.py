"""Describe a word without its taboo words; guess it from such descriptions.

The rules are in `game`, the cards in `cards`, rule-based players in `partners`, other players in `scripts`.
"""
