"""Entry point of `zib`."""


def main() -> None:
    """Start the program."""


if __name__ == "__main__":
    main()
