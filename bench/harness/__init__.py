"""Measures plimsoll and what a user would pick instead, side by side, in one run on one machine."""
