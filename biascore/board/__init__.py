"""Many stored runs side by side: models over grounds and releases, as data; ``report`` makes the page."""

from biascore.board.making import make_board
from biascore.board.model import Board

__all__ = ["Board", "make_board"]
