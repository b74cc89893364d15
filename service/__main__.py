"""`python -m regla.service …`: the command line, where no `regla` is on the path."""

from regla.service.cli import main

if __name__ == "__main__":
    main()
