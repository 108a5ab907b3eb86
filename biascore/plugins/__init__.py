"""Installed plugins: found through entry points, loaded each in isolation, and listed by what they provide."""
