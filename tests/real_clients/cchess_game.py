"""Plays a game of the engine against itself, of at most 200 plies, through the Python package cchess.

Usage: cchess_game.py ENGINE ucci|uci. Fails on an illegal move, a move without a score, or a missing answer.
"""

import sys
import time

from cchess import FULL_INIT_FEN, ChessBoard
from cchess.engine import UcciEngine, UciEngine

PLIES = 200
PATIENCE = 60


def answer(engine):
    """The `bestmove` action of the engine, or None if it has no move."""
    deadline = time.time() + PATIENCE
    while time.time() < deadline:
        action = engine.get_action()
        if action is None:
            time.sleep(0.002)
        elif action["action"] == "bestmove":
            return action
        elif action["action"] == "dead":
            return None
    sys.exit("the engine does not answer")


def main(path, protocol):
    engine = {"ucci": UcciEngine, "uci": UciEngine}[protocol]()
    if not engine.load(path) or not engine.wait_for_ready(PATIENCE):
        sys.exit("the engine is not ready")
    if "name" not in engine.ids or not engine.options:
        sys.exit(f"the engine sends no name or no options: {engine.ids}")
    board = ChessBoard(FULL_INIT_FEN)
    plies = 0
    while plies < PLIES:
        engine.go_from(board.to_full_fen(), {"depth": 2})
        action = answer(engine)
        if action is None:
            if not board.no_moves():
                sys.exit(f"no move in {board.to_full_fen()}")
            break
        move = action["move"]
        if "score" not in action and "mate" not in action:
            sys.exit(f"no score came with {move}: {action}")
        if not board.is_valid_iccs_move(move):
            sys.exit(f"{move} is illegal in {board.to_full_fen()}")
        board.move_iccs(move)
        board.next_turn()
        plies += 1
    engine.quit()
    print(f"cchess, {protocol}: {plies} plies, {'mate' if board.no_moves() else 'unfinished'}")


main(*sys.argv[1:])
