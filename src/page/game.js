// Games with variations and comments, and their form as text: in the address of the page, in the replies of the server,
// and as PGN.
import { START, parseFen, makeMove, whyIllegal, fromOf, toOf, notate, writeFen } from './rules.js';

// Thrown if a text is not a game or position. Its message is a key of the texts of the page.
export class GameError extends Error {}

export function newGame(start = START) {
  const position = parseFen(start);
  if (!position) throw new GameError('invalid board');
  // A FEN of the starting position with its initial counters is the same start.
  const [, , , , clock = '0', number = '1'] = start.trim().split(/[\s_]+/);
  if (writeFen(position) === START && clock === '0' && number === '1') start = START;
  const root = { move: null, parent: null, children: [], comment: '', glyphs: [], points: null, position };
  return { start, root, node: root, tags: {}, clock: Number(clock) || 0, number: Number(number) || 1 };
}

// Adds a move after a node, or returns the node if the move exists.
export function addMove(node, move) {
  const known = node.children.find((child) => child.move === move);
  if (known) return known;
  const [from, to] = [fromOf(move), toOf(move)];
  if (!/^[a-i]\d[a-i]\d$/.test(move) || whyIllegal(node.position, from, to)) throw new GameError('invalid game');
  const position = makeMove(node.position, move);
  const child = { move, parent: node, children: [], comment: '', glyphs: [], points: null, position };
  node.children.push(child);
  return child;
}

// The nodes from the root, without it, to a node.
export function pathTo(node) {
  const path = [];
  for (; node.parent; node = node.parent) path.unshift(node);
  return path;
}

// A new game with the moves from the start to a node, without tags, comments and glyphs.
export function copyPath(start, node) {
  const game = newGame(start);
  for (const { move } of pathTo(node)) game.node = addMove(game.node, move);
  return game;
}

// The number of a move, counted from that in the FEN of the start.
export const moveNumber = (game, node) => (
  game.number + Math.floor((pathTo(node).length - (game.root.position.side === 'b' ? 0 : 1)) / 2)
);

// The line after a node: its first child, the first child of that, and so on.
export function lineAfter(node) {
  const line = [];
  while (node.children.length) line.push(node = node.children[0]);
  return line;
}

export const movesOf = (nodes) => nodes.map((node) => node.move).join(',');

export const isMainLine = (node) => !node.parent || (node.parent.children[0] === node && isMainLine(node.parent));

// Writes the nodes after `parent` with the function `write`, and each variation between `open` and `close` after the
// move that it replaces. `isFirst` is true for the first move of the game or of a variation, and for a move after
// variations.
function writeTree(parent, write, open, close, isFirst = true) {
  let text = '';
  while (parent.children.length) {
    const [main, ...others] = parent.children;
    text += write(main, isFirst);
    for (const other of others) {
      text += open + write(other, true);
      text += writeTree(other, write, open, close, false) + close;
    }
    parent = main;
    isFirst = others.length > 0;
  }
  return text;
}

// Encodes all characters that are special in the text of a game.
const encode = (text) => encodeURIComponent(text).replaceAll('~', '%7E');
const quoted = (comment) => comment && `:${encode(comment)}:`;

// The text of a game: FEN~MOVES@NODE;TAG=VALUE. The FEN is empty for the starting position and has _ for blanks. MOVES
// has variations in (), comments between colons, glyphs as $N and red's expected points in percent as !N. NODE is the
// number of the current node: 0 is the start, and the moves are numbered as they are written.
export function encodeGame(game) {
  const nodes = [game.root];
  const write = (node) => {
    nodes.push(node);
    const points = node.points === null ? '' : `!${node.points}`;
    return node.move + node.glyphs.map((glyph) => `$${glyph}`).join('') + points + quoted(node.comment);
  };
  const start = game.start === START ? '' : game.start.replaceAll(' ', '_');
  const moves = writeTree(game.root, write, '(', ')');
  const tags = Object.entries(game.tags).map(([name, value]) => `;${encode(name)}=${encode(value)}`);
  return `${start}~${quoted(game.root.comment)}${moves}@${nodes.indexOf(game.node)}${tags.join('')}`;
}

// Programs that pass links on may encode the text of a game once more, or only its characters ~ ( ). Only a text that
// is encoded once more has no @. Comments and tags may contain %7E, but come after the first ~.
function restoreGame(text) {
  const isEncoded = !text.includes('@') && /%40\d+(%3B|$)/i.test(text);
  return (isEncoded ? decode(text) : text).replace(/^([^~]*?)%7E/i, '$1~').replaceAll('%28', '(').replaceAll('%29', ')');
}

// Reads the text of a game, or a FEN with _ or blanks and possibly `moves` in coordinates.
export function decodeGame(link) {
  const text = restoreGame(link);
  if (!text.includes('~')) return decodeFen(text);
  const [start, rest] = text.split('~', 2);
  const [body, ...tags] = rest.split(';');
  const [moves, index = '0'] = body.split('@');
  const game = newGame(decode(start).replaceAll('_', ' ') || START);
  const nodes = [game.root];
  const stack = [];
  let node = game.root;
  for (const [token] of moves.matchAll(/[a-i]\d[a-i]\d|\(|\)|:[^:]*:|\$\d+|![\d.]+|./g)) {
    if (token === '(') {
      if (!node.parent) throw new GameError('invalid game');
      stack.push(node);
      node = node.parent;
    } else if (token === ')') {
      if (!stack.length) throw new GameError('invalid game');
      node = stack.pop();
    } else if (token[0] === ':') node.comment = decode(token.slice(1, -1));
    else if (token[0] === '$') node.glyphs.push(Number(token.slice(1)));
    else if (token[0] === '!') node.points = Number(token.slice(1));
    else nodes.push(node = addMove(node, token));
  }
  for (const tag of tags) {
    const [name, value = ''] = tag.split('=', 2);
    game.tags[decode(name)] = decode(value);
  }
  game.node = nodes[Number(index)] || game.root;
  return game;
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new GameError('invalid game');
  }
}

function decodeFen(text) {
  const [fen, moves = ''] = decode(text).replaceAll('_', ' ').trim().split(/\s+moves\s+/);
  const game = newGame(fen === 'startpos' ? START : fen);
  for (const move of moves.split(/\s+/).filter(Boolean)) game.node = addMove(game.node, move);
  return game;
}

// A comment without the commands for programs, such as [%eval 0.35,12].
export const shownComment = (comment) => comment.replace(/\s*\[%[^\]]*\]\s*/g, ' ').trim();

export const fenOf = (node) => writeFen(node.position);

// The FEN of a position of a game with its counters.
export function fullFen(game, node) {
  let clock = game.clock;
  const path = pathTo(node);
  for (const { move, parent } of path) clock = parent.position.pieces[toOf(move)] ? 0 : clock + 1;
  const number = game.number + Math.floor((path.length + (game.root.position.side === 'b' ? 1 : 0)) / 2);
  return `${writeFen(node.position)} - - ${clock} ${number}`;
}

// The functions below write the same PGN as `write.rs` of the engine.

// The width at which moves are wrapped, in characters: at most 240 bytes, because programs such as ElephantEye read lines
// of at most 255 bytes. Comments are not wrapped.
const LINE_WIDTH = 80;

function wrap(words) {
  const lines = [];
  let line = '';
  for (const word of words) {
    if (line && [...line, ' ', ...word].length > LINE_WIDTH) {
      lines.push(line);
      line = '';
    }
    line += (line && ' ') + word;
  }
  return [...lines, line].join('\n');
}

// The line of a tag, without the characters that a PGN file cannot have in names and values; empty without a name.
function tagLine([name, value]) {
  const key = name.replace(/[\p{Cc}\p{Cf}\s"“”„‟＂〝〞「」[\](){};=:：]/gu, '');
  return key && `[${key} "${value.replace(/\p{Cc}/gu, '').replace(/["\\]/g, '\\$&')}"]\n`;
}

// A comment with （ and ） in place of parentheses without a counterpart, which end a game in 象棋巫师.
function withPairedParentheses(text) {
  const characters = [...text];
  const open = [];
  characters.forEach((c, at) => {
    if (c === '(') open.push(at);
    else if (c === ')' && open.pop() === undefined) characters[at] = '）';
  });
  for (const at of open) characters[at] = '（';
  return characters.join('');
}

// A comment without empty lines and the characters that a comment cannot have; empty without a comment.
function writeComment({ comment }) {
  const lines = comment.replace(/(?!\n)\p{Cc}/gu, ' ').replaceAll('{', '｛').replaceAll('}', '｝').split('\n');
  const text = lines.map((line) => line.trim()).filter(Boolean).join('\n');
  return text && `\0{${withPairedParentheses(text)}}`;
}

export function writePgn(game, notation) {
  const format = { chinese: 'Chinese', wxf: 'WXF', coordinates: 'ICCS' }[notation];
  const result = /^(1-0|0-1|1\/2-1\/2)$/.test(game.tags.Result) ? game.tags.Result : '*';
  const fen = fullFen(game, game.root);
  const tags = [
    ['Game', 'Chinese Chess'],
    ...Object.entries(game.tags).filter(([name]) => !/^(Game|Result|FEN|Format)$/i.test(name)),
    ['Result', result], ...(game.start === START ? [] : [['FEN', fen]]), ['Format', format],
  ];
  // Before each word is a NUL, which no tag, move or comment contains.
  const write = (node, isFirst) => {
    const number = moveNumber(game, node);
    const isRed = node.parent.position.side === 'w';
    const head = isRed ? `\0${number}.` : isFirst || writeComment(node.parent) ? `\0${number}...` : '';
    const iccs = `${node.move.slice(0, 2)}-${node.move.slice(2)}`.toUpperCase();
    const text = notation === 'coordinates' ? iccs : notate(node.parent.position, node.move, notation);
    return `${head}\0${text}${node.glyphs.map((glyph) => `\0$${glyph}`).join('')}${writeComment(node)}`;
  };
  const moves = writeTree(game.root, write, '\0(', ')').replaceAll('(\0', '(');
  const words = `${writeComment(game.root)}${moves}\0${result}`.slice(1).split('\0');
  return `${tags.map(tagLine).join('')}\n${wrap(words)}\n\n`;
}
