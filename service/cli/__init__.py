def main() -> None:
    """Replaced by the command line."""
