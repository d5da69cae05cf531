"""Pools: passages that are kept on disk or on a server, and found by their words and their meaning."""
