"""`python -m hpaaudit`."""

from hpaaudit.cli import main

if __name__ == "__main__":
    main()
