"""Screens: they compose, route and decide; widgets draw."""
