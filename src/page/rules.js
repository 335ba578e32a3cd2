// Positions, legal moves and their notations. Squares are numbered from a0 (0) over i0 (8) to i9 (89); moves are
// strings such as 'h2e2'.

export const START = 'rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w';
const FILES = 'abcdefghi';
const ORTHOGONAL = [[0, 1], [1, 0], [0, -1], [-1, 0]];
const DIAGONAL = [[1, 1], [1, -1], [-1, -1], [-1, 1]];

export const squareName = (square) => FILES[square % 9] + Math.floor(square / 9);
export const squareOf = (name) => FILES.indexOf(name[0]) + 9 * Number(name[1]);
export const moveOf = (from, to) => squareName(from) + squareName(to);
export const fromOf = (move) => squareOf(move.slice(0, 2));
export const toOf = (move) => squareOf(move.slice(2, 4));
export const sideOf = (piece) => (piece < 'a' ? 'w' : 'b');
export const otherSide = (side) => (side === 'w' ? 'b' : 'w');

// Parses the placement and the side of a FEN; null if it is malformed.
export function parseFen(text) {
  const [placement, side = 'w'] = text.trim().split(/[\s_]+/);
  // Some programs write an empty pocket after the placement.
  const rows = placement.replace(/\[-?\]$/, '').split('/');
  if (rows.length !== 10 || !/^[wrb]$/i.test(side)) return null;
  const pieces = Array(90).fill('');
  for (const [index, row] of rows.entries()) {
    let file = 0;
    for (const letter of row) {
      if (/[1-9]/.test(letter)) { file += Number(letter); continue; }
      const piece = { h: 'n', e: 'b', H: 'N', E: 'B' }[letter] || letter;
      if (!/[kabnrcp]/i.test(piece) || file > 8) return null;
      pieces[9 * (9 - index) + file++] = piece;
    }
    if (file !== 9) return null;
  }
  return { pieces, side: side.toLowerCase() === 'b' ? 'b' : 'w' };
}

export function writeFen({ pieces, side }) {
  const rows = [];
  for (let rank = 9; rank >= 0; rank--) {
    const row = pieces.slice(9 * rank, 9 * rank + 9).map((piece) => piece || '1').join('');
    rows.push(row.replace(/1+/g, (blanks) => blanks.length));
  }
  return `${rows.join('/')} ${side}`;
}

export function makeMove({ pieces, side }, move) {
  const after = pieces.slice();
  after[toOf(move)] = after[fromOf(move)];
  after[fromOf(move)] = '';
  return { pieces: after, side: otherSide(side) };
}

const isPalace = (x, y, side) => x >= 3 && x <= 5 && (side === 'w' ? y >= 0 && y <= 2 : y >= 7 && y <= 9);
const isHome = (y, side) => (side === 'w' ? y <= 4 : y >= 5);
const isOnBoard = (x, y) => x >= 0 && x < 9 && y >= 0 && y < 10;

// The squares to which a piece can move, regardless of check and of pieces of its own side on them.
function reach(pieces, from) {
  const piece = pieces[from];
  const [side, kind] = [sideOf(piece), piece.toLowerCase()];
  const [x, y] = [from % 9, Math.floor(from / 9)];
  const found = [];
  const at = (dx, dy) => pieces[9 * (y + dy) + x + dx];
  const add = (dx, dy, isAllowed = true) => {
    if (isAllowed && isOnBoard(x + dx, y + dy)) found.push(9 * (y + dy) + x + dx);
  };
  if (kind === 'k') for (const [dx, dy] of ORTHOGONAL) add(dx, dy, isPalace(x + dx, y + dy, side));
  if (kind === 'a') for (const [dx, dy] of DIAGONAL) add(dx, dy, isPalace(x + dx, y + dy, side));
  if (kind === 'b') for (const [dx, dy] of DIAGONAL) add(2 * dx, 2 * dy, isHome(y + 2 * dy, side) && !at(dx, dy));
  if (kind === 'n') {
    for (const [dx, dy] of ORTHOGONAL) {
      if (!isOnBoard(x + dx, y + dy) || at(dx, dy)) continue;
      for (const turn of [-1, 1]) add(2 * dx + turn * dy, 2 * dy + turn * dx);
    }
  }
  if (kind === 'p') {
    add(0, side === 'w' ? 1 : -1);
    if (!isHome(y, side)) for (const dx of [-1, 1]) add(dx, 0);
  }
  if (kind === 'r' || kind === 'c') {
    for (const [dx, dy] of ORTHOGONAL) {
      let n = 1;
      for (; isOnBoard(x + n * dx, y + n * dy) && !at(n * dx, n * dy); n++) add(n * dx, n * dy);
      if (kind === 'c') do n++; while (isOnBoard(x + n * dx, y + n * dy) && !at(n * dx, n * dy));
      add(n * dx, n * dy);
    }
  }
  return found;
}

function areKingsFacing(pieces) {
  const [red, black] = [pieces.indexOf('K'), pieces.indexOf('k')];
  if (red < 0 || black < 0 || red % 9 !== black % 9) return false;
  for (let square = red + 9; square < black; square += 9) if (pieces[square]) return false;
  return true;
}

export function isInCheck({ pieces }, side) {
  const king = pieces.indexOf(side === 'w' ? 'K' : 'k');
  if (king < 0) return false;
  return pieces.some((piece, from) => piece && sideOf(piece) !== side && reach(pieces, from).includes(king));
}

// Whether the opponent cannot capture the king of a side in the next move.
const isKingSafe = (position, side) => !areKingsFacing(position.pieces) && !isInCheck(position, side);

// Whether a piece can stand on a square. A pawn can, as in compositions, stand on every square.
function canStandOn(piece, square) {
  const [side, x, y] = [sideOf(piece), square % 9, Math.floor(square / 9)];
  const rank = side === 'w' ? y : 9 - y;
  switch (piece.toLowerCase()) {
    case 'k': return isPalace(x, y, side);
    case 'a': return isPalace(x, y, side) && (x + rank) % 2 === 1;
    case 'b': return [2, 6].includes(x) ? rank === 0 || rank === 4 : [0, 4, 8].includes(x) && rank === 2;
    default: return true;
  }
}

// Whether a position can be played, as the engine decides it: one king on each side and at most 16 pieces, all on squares
// that they can reach, and no king that could be captured.
export function isLegal(position) {
  const { pieces, side } = position;
  const count = (isCounted) => pieces.filter((piece) => piece && isCounted(piece)).length;
  const hasSides = ['w', 'b'].every((color) => count((piece) => sideOf(piece) === color) <= 16)
    && ['K', 'k'].every((king) => count((piece) => piece === king) === 1);
  return hasSides && pieces.every((piece, square) => !piece || canStandOn(piece, square))
    && isKingSafe(position, otherSide(side));
}

function isSafe(position, move) {
  return isKingSafe(makeMove(position, move), position.side);
}

export function legalMoves(position) {
  const { pieces, side } = position;
  const moves = [];
  pieces.forEach((piece, from) => {
    if (!piece || sideOf(piece) !== side) return;
    for (const to of reach(pieces, from)) {
      const move = moveOf(from, to);
      if ((!pieces[to] || sideOf(pieces[to]) !== side) && isSafe(position, move)) moves.push(move);
    }
  });
  return moves;
}

// The key of the text that explains why a move is illegal; null for a legal one.
export function whyIllegal(position, from, to) {
  const { pieces, side } = position;
  const piece = pieces[from];
  if (!piece) return 'illegal empty';
  if (sideOf(piece) !== side) return 'illegal side';
  if (pieces[to] && sideOf(pieces[to]) === side) return 'illegal own';
  if (reach(pieces, from).includes(to)) {
    if (isSafe(position, moveOf(from, to))) return null;
    if (areKingsFacing(makeMove(position, moveOf(from, to)).pieces)) return 'illegal facing';
    return isInCheck(position, side) ? 'illegal still check' : 'illegal into check';
  }
  const [dx, dy] = [Math.abs(to % 9 - from % 9), Math.abs(Math.floor(to / 9) - Math.floor(from / 9))];
  switch (piece.toLowerCase()) {
    case 'n': return dx * dy === 2 ? 'illegal leg' : 'illegal knight';
    case 'b':
      if (dx !== 2 || dy !== 2) return 'illegal bishop';
      return isHome(Math.floor(to / 9), side) ? 'illegal eye' : 'illegal river';
    case 'r': return dx && dy ? 'illegal straight' : 'illegal blocked';
    case 'c':
      if (dx && dy) return 'illegal straight';
      return pieces[to] ? 'illegal screen' : 'illegal blocked';
    case 'p': return 'illegal pawn';
    case 'a': return 'illegal advisor';
    default: return 'illegal king';
  }
}

// The names of the pieces in moves, by their letters.
export const PIECE_NAMES = {
  K: '帅', A: '仕', B: '相', N: '马', R: '车', C: '炮', P: '兵',
  k: '将', a: '士', b: '象', n: '马', r: '车', c: '炮', p: '卒',
};
// The number of pieces of each kind in a set.
const SET_COUNTS = { k: 1, a: 2, b: 2, n: 2, r: 2, c: 2, p: 5 };
const NUMERALS = '零一二三四五六七八九';
const DIGITS = '０１２３４５６７８９';

// A legal move in the notation 'chinese' (炮二平五), 'wxf' (C2=5) or 'coordinates' (h2e2), as the engine writes it.
// One exception: if the side has more pieces of the kind than a set, the move is in coordinates even if its name is
// unique.
export function notate({ pieces, side }, move, notation) {
  const [from, to] = [fromOf(move), toOf(move)];
  const piece = pieces[from];
  const same = pieces.flatMap((other, square) => (other === piece ? [square] : []));
  const kind = piece.toLowerCase();
  if (notation === 'coordinates' || !piece || same.length > SET_COUNTS[kind]) return move;
  const column = (file) => same.filter((square) => square % 9 === file);
  const number = (square) => (side === 'w' ? 9 - square % 9 : square % 9 + 1);
  const [file, count] = [number(from), column(from % 9).length];
  const index = column(from % 9).filter((square) => (side === 'w' ? square > from : square < from)).length;
  const isNamedByFile = count < 2 || kind === 'a' || kind === 'b';
  const isCrowded = [...FILES].filter((_, n) => column(n).length > 1).length > 1;
  const steps = (Math.floor(to / 9) - Math.floor(from / 9)) * (side === 'w' ? 1 : -1);
  const target = steps && from % 9 === to % 9 ? Math.abs(steps) : number(to);
  if (notation === 'wxf') {
    const letter = kind.toUpperCase();
    const numbered = count > 2 || isCrowded ? `${index + 1}${file}` : letter + (index === 0 ? '+' : '-');
    return (isNamedByFile ? letter + file : numbered) + (steps > 0 ? '+' : steps < 0 ? '-' : '=') + target;
  }
  const numerals = side === 'w' ? NUMERALS : DIGITS;
  const place = count > 3 ? NUMERALS[index + 1] : index === 0 ? '前' : index + 1 === count ? '后' : '中';
  const placed = isCrowded ? place + numerals[file] : place + PIECE_NAMES[piece];
  const subject = isNamedByFile ? PIECE_NAMES[piece] + numerals[file] : placed;
  return subject + (steps > 0 ? '进' : steps < 0 ? '退' : '平') + numerals[target];
}
