"""Exchanges game records with the Python package cchess in both directions.

Usage: cchess_records.py ENGINE. Random games with comments and variations are written by the engine in every format
that cchess reads, and a PGN by cchess is read by the engine. Fails if a move or comment differs.
"""

import random
import subprocess
import sys
import tempfile
from pathlib import Path

from cchess import FULL_INIT_FEN, ChessBoard, Game

GAMES = 20


def chuhe(engine, *arguments):
    """The standard output of a subcommand."""
    run = subprocess.run([engine, *map(str, arguments)], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"chuhe {arguments}: {run.stderr}")
    return run.stdout


def random_line(generator, plies):
    """Legal moves from the starting position in coordinates."""
    board = ChessBoard(FULL_INIT_FEN)
    line = []
    for _ in range(plies):
        moves = sorted(move for move in board.create_moves() if not board.is_checked_move(*move))
        if not moves:
            break
        line.append("".join(f"{'abcdefghi'[x]}{y}" for x, y in generator.choice(moves)))
        board.move_iccs(line[-1])
        board.next_turn()
    return line


def first_line(game):
    """The moves of the main line in coordinates."""
    return [str(move) for move in game.move_line_to_list()] if game.first_move else []


def comments(game):
    """The comments after the moves of the main line."""
    return [(move.annote or "").strip("\0") for move in game.move_line_to_list()]


def check(what, read, expected):
    if read != expected:
        sys.exit(f"{what}: read {read} instead of {expected}")


def main(engine):
    generator = random.Random(5)
    directory = Path(tempfile.mkdtemp())
    lines = []
    for number in range(GAMES):
        line = random_line(generator, generator.randrange(4, 60))
        other = random_line(generator, 5)
        lines.append(line)
        remarks = [generator.choice(["", "中炮", "好棋 ok"]) for _ in line]
        words = [f"{move} {{{text}}}" if text else move for move, text in zip(line, remarks)]
        variation = f" ({' '.join(other)})" if other[0] != line[0] else ""
        pgn = directory / f"{number}.pgn"
        pgn.write_text(f'[Red "胡荣华"]\n[Black "b"]\n\n{words[0]}{variation} {" ".join(words[1:])} 1-0\n', "utf-8")
        for kind in ["xqf", "cbr"]:
            file = directory / f"{number}.{kind}"
            chuhe(engine, "convert", pgn, "--to", kind, "-o", file)
            game = Game.read_from(str(file))
            check(file, first_line(game), line)
            check(file, comments(game), remarks)
            check(file, (game.info["red"], game.info["result"]), ("胡荣华", "1-0"))
            check(file, len(game.dump_moves()), 2 if variation else 1)
        # The reader of cchess knows neither comments nor variations in PGN.
        plain = directory / f"{number}-plain.pgn"
        plain.write_text(f"{' '.join(line)} 1-0\n")
        for notation in ["iccs", "chinese"]:
            file = directory / f"{number}-{notation}.pgn"
            chuhe(engine, "convert", plain, "--notation", notation, "-o", file)
            check(file, first_line(Game.read_from(str(file))), line)
        # The engine reads a PGN that cchess has written.
        file = directory / f"{number}-cchess.pgn"
        Game.read_from(str(directory / f"{number}.xqf")).save_to(str(file))
        written = chuhe(engine, "convert", file, "--to", "moves")
        check(file, written.split(), ["startpos", "moves", *line])
    library = directory / "all.cbl"
    files = [directory / f"{number}.pgn" for number in range(GAMES)]
    chuhe(engine, "convert", *files, "--to", "cbl", "-o", library)
    games = Game.read_from_lib(str(library))["games"]
    check(library, [first_line(game) for game in games], lines)
    print(f"cchess, records: {GAMES} games agree in XQF, CBR, CBL and PGN")


main(sys.argv[1])
