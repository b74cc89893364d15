"""Regla."""
