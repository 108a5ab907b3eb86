"""``python -m biascore``, where the command itself is not on the path."""

from biascore.cli import main

if __name__ == "__main__":
    main()
