// The game on the board: its moves, its address, and everything that changes with the current move.
import { isInCheck, isLegal, legalMoves, whyIllegal, moveOf, fromOf, toOf, notate, otherSide } from './rules.js';
import { GameError, newGame, addMove, moveNumber, lineAfter, encodeGame, decodeGame, fullFen, shownComment, isMainLine } from './game.js';
import { element, makeButton, t, errorText, moveMarks, glyphText, GRADES } from './texts.js';
import { view, drawBoard, setDrawing, keepFocus } from './board.js';

// `listeners` are called after each change of the current move, `onLanguage` after a change of the language or
// notation. `listed` is the element of `games` that is on the board, or null. `onEnd` is called when a rule ends the
// game, with the loser, or null for a draw. `legal` has the legal moves of the current position. `mayLeave` returns
// whether another game may be opened, or the moves from a node on deleted; if not, it asks the user. `refusal` returns
// the key of the reason why the user may not move now, or null. `hint` returns a text to add to the state of the
// position, or an empty one. `check` returns the normal form of a FEN, or throws an error with a message for the user.
// `read` opens the games of a text, if a server can read them. `isOver` is whether the rules have ended the game.
// `ending` is a function that returns the text of how a rule or a player has ended the game, or null. `problem` is what
// was wrong with the opened game, or empty. `title` is the key of the title of the page.
export const app = {
  game: newGame(), games: [], listed: null, legal: [], ending: null, problem: '', title: 'title', listeners: [], onLanguage: [],
  onEnd: () => {}, refusal: () => null, hint: () => '', mayLeave: () => true, read: null, isOver: false,
  check: async (fen) => {
    const game = newGame(fen);
    if (!isLegal(game.root.position)) throw new GameError('invalid board');
    return fullFen(game, game.root);
  },
};

export const side = () => app.game.node.position.side;

// Shows a message below the board; screen readers read it out.
export function say(text) {
  element('status').textContent = text;
}

// The text of a move with its glyphs, such as 炮二平五!?.
export function moveText(node) {
  const text = notate(node.parent.position, node.move, view.notation);
  return text + glyphText(node.glyphs);
}

// The texts of a line of moves.
export function lineText(position, moves) {
  let node = { position };
  const words = [];
  for (const move of moves) {
    const text = notate(node.position, move, view.notation);
    node = addMove({ position: node.position, children: [] }, move);
    words.push(text);
  }
  return words;
}

// The result of the game, at the end of its main line.
function resultText() {
  const { node, tags } = app.game;
  const isKnown = /^(1-0|0-1|1\/2-1\/2)$/.test(tags.Result);
  return isKnown && !node.children.length && isMainLine(node) ? t('result', tags.Result) : '';
}

// Shows the state of the position in words: the last move, the side to move, check and mate.
function sayPosition() {
  const { node } = app.game;
  const { position } = node;
  const parts = [];
  if (node.move) parts.push(`${t(node.parent.position.side)} ${moveText(node)}`);
  const isCheck = isInCheck(position, position.side);
  if (!app.legal.length) parts.push(t(isCheck ? 'checkmate' : 'stalemate'), t(`wins ${otherSide(position.side)}`));
  else if (app.ending) parts.push(app.ending());
  else parts.push(...(isCheck ? [t('check')] : []), t(`to move ${position.side}`), resultText());
  say([...parts, app.hint()].filter(Boolean).join(' · '));
}

// The buttons of the move list, and the content and game for which they were made: long games are not listed again at
// each step.
const buttons = new Map();
let [drawnContent, drawnRoot] = [null, null];

// The button of a move in the move list, in an element that keeps it on one line with its number.
function moveItem(node) {
  const button = makeButton(moveText(node), () => go(node));
  const glyph = node.glyphs.find((glyph) => glyph in GRADES);
  if (glyph) button.classList.add(GRADES[glyph]);
  buttons.set(node, button);
  const span = document.createElement('span');
  span.className = 'move';
  span.append(button);
  return span;
}

// The number before a move, such as `3. ` or `3… `.
export function numberText(node) {
  return `${moveNumber(app.game, node)}${node.parent.position.side === 'w' ? '.' : '…'} `;
}

// Appends the line of moves after a node, with its variations as blocks. `isFirst` is true if a move of black needs its
// number.
function appendLine(parent, node, isFirst = true) {
  for (; node.children.length; node = node.children[0]) {
    const [main, ...others] = node.children;
    const appendMove = (child, to, needsNumber) => {
      const [item, number] = [moveItem(child), document.createElement('span')];
      number.className = 'number';
      number.textContent = needsNumber || node.position.side === 'w' ? numberText(child) : '';
      item.prepend(number);
      to.append(item, ' ');
      const comment = shownComment(child.comment);
      if (!comment || isMainLine(child)) return;
      const text = document.createElement('span');
      text.className = 'comment';
      text.textContent = `${comment} `;
      to.append(text);
    };
    appendMove(main, parent, isFirst);
    for (const other of others) {
      const block = document.createElement('div');
      block.className = 'variation';
      appendMove(other, block, true);
      appendLine(block, other, false);
      parent.append(block);
    }
    isFirst = others.length > 0;
  }
}

// A comment. The verdict and the evaluation of a review are in the language of the page.
function commentText(comment) {
  const verdict = /\b(inaccuracy|mistake|blunder)(?= \(-\d+ %\))/;
  const text = shownComment(comment).replace(verdict, (word) => t(`grade ${word}`));
  const [, score, depth] = /\[%eval ([^,\]]*),(\d+)\]/.exec(comment) || [];
  const evaluation = score ? t('evaluation', score > 0 ? `+${score}` : score, depth) : '';
  return [text, evaluation].filter(Boolean).join('\n');
}

// The node whose comment is being written, or null. The current node may change before the comment is finished.
let commented = null;
// Whether the comment has not changed since its field got the focus: the first change is a new entry of the history.
let isCommentKept = true;

function beginComment() {
  [commented, isCommentKept] = [app.game.node, true];
  element('comment').value = commented.comment;
}

function storeComment() {
  const text = element('comment').value.trim();
  if (text === commented.comment) return;
  commented.comment = text;
  writeAddress(isCommentKept);
  isCommentKept = false;
  // A reload does not wait for the pending change, which is only needed if the browser refuses this one.
  if (pending) changeEntry('replaceState', pending);
}

function drawMoves() {
  const { root, node, tags } = app.game;
  // A review adds its verdict while a comment is being written.
  if (commented && commented.comment !== element('comment').value.trim()) element('comment').value = commented.comment;
  const content = [view.notation, t('no moves'), encodeGame(app.game).replace(/@\d+/, '')].join();
  if (content !== drawnContent || root !== drawnRoot) {
    [drawnContent, drawnRoot] = [content, root];
    buttons.clear();
    element('moves').replaceChildren();
    if (root.children.length) appendLine(element('moves'), root);
    else element('moves').textContent = t('no moves');
  }
  const before = element('moves').querySelector('.current');
  if (before) {
    before.classList.remove('current');
    before.removeAttribute('aria-current');
  }
  const current = buttons.get(node);
  if (current) {
    current.classList.add('current');
    current.setAttribute('aria-current', 'true');
    // Scrolls the list, but not the page.
    const [list, box] = [element('moves').getBoundingClientRect(), current.getBoundingClientRect()];
    const isVisible = box.top >= list.top && box.bottom <= list.bottom;
    if (!isVisible) element('moves').scrollTop += box.top - list.top - list.height / 2;
  }
  const players = tags.Red || tags.Black ? [`${tags.Red || '?'} – ${tags.Black || '?'}`, tags.Result] : [];
  const names = players.length ? [tags.Event] : [tags.Event, tags.Title];
  element('game-title').textContent = [...players, ...names, tags.ECCO, tags.Opening].filter(Boolean).join('  ');
  element('comment-text').textContent = commentText(node.comment);
  if (!commented) element('comment').value = node.comment;
  for (const button of element('glyphs').children) {
    button.setAttribute('aria-pressed', String(node.glyphs.includes(Number(button.dataset.glyph))));
    button.disabled = !node.parent;
  }
  element('promote').disabled = isMainLine(node);
  element('delete').disabled = !node.parent;
}

// Maximum length of a game in the address, in characters: browsers fail with much longer addresses in their history.
const MAX_ADDRESS = 64000;

// The game that will replace that of the current entry of the history, with the number of its listed game, or null.
let pending = null;
let pendingTimer = null;

// An entry of the history has the number of its listed game as its state, and the text of a game that is too long for
// the address. Returns `false` if the browser refuses the state because of its size.
function changeEntry(change, { text, id }) {
  const isLong = text.length > MAX_ADDRESS;
  if (text === (history.state?.text || location.hash.slice(1))) return true;
  try {
    history[change]({ id, text: isLong ? text : '' }, '', location.pathname + (isLong ? '' : `#${text}`));
    return true;
  } catch {
    return false;
  }
}

function writePending() {
  clearTimeout(pendingTimer);
  if (pending) changeEntry('replaceState', pending);
  pending = null;
}

// Writes the game into the history of the browser. A changed game is a new entry, so that Back undoes the change. Moving
// through the game replaces the entry, after a pause because browsers limit how often entries may change.
export function writeAddress(isNew = false) {
  const entry = { text: encodeGame(app.game), id: app.listed?.id };
  if (isNew) {
    writePending();
    if (!changeEntry('pushState', entry)) reportProblem(t('long address'));
    return;
  }
  clearTimeout(pendingTimer);
  pending = entry;
  pendingTimer = setTimeout(writePending, 250);
}

function reportProblem(text) {
  app.problem = text;
  say(text);
}

// Shows the current position on the board, unless the user is setting up another one.
function showPosition() {
  if (view.onSquare) return;
  const { node } = app.game;
  const { position } = node;
  const check = isInCheck(position, position.side) ? position.pieces.indexOf(position.side === 'w' ? 'K' : 'k') : null;
  Object.assign(view, { position, legal: app.legal, last: node.move, check, selected: null, drawn: [], arrows: [] });
  element('fen').value = node.parent ? fullFen(app.game, node) : app.game.start;
}

// Shows the current move. `isNew`: the game has changed. `keepsAddress`: the address is not changed.
export function show({ isNew = false, keepsAddress = false } = {}) {
  const { node } = app.game;
  app.legal = legalMoves(node.position);
  app.isOver = !app.legal.length;
  app.ending = null;
  showPosition();
  for (const id of ['first', 'back']) element(id).disabled = !node.parent;
  for (const id of ['next', 'last']) element(id).disabled = !node.children.length;
  drawMoves();
  sayPosition();
  if (!keepsAddress) writeAddress(isNew);
  keepFocus(() => { for (const listener of app.listeners) listener(); });
  drawBoard();
}

// Shows how a rule or a player has ended the game. `ending` returns the text. The reply about the rules comes after the
// position has been shown.
export function end(ending) {
  app.ending = ending;
  sayPosition();
}

export function redraw() {
  drawMoves();
  if (!view.onSquare) sayPosition();
  drawBoard();
}

export function go(node) {
  app.game.node = node;
  show();
}

// Closes the position editor; the next `show` shows the game again.
export function stopEditing() {
  view.onSquare = null;
  document.body.classList.remove('editing');
  element('editor').hidden = true;
}

// Keeps the changes of the listed game on the board.
export function keepListed() {
  if (app.listed) app.listed.text = encodeGame(app.game);
}

// The number of the games and positions that the user has asked to open.
let opened = 0;

// Begins to open a game that a server will send. Returns a function that returns whether no other one has been opened
// since; null if the user has not confirmed that a game against the engine may end.
export function beginOpening(isConfirmed = false) {
  if (!isConfirmed && !app.mayLeave()) return null;
  const own = ++opened;
  return () => own === opened;
}

// Opens a game, which may be the game `listed` of the list. A listed game that is left is kept with its changes.
export function openGame(game, { listed = null, ...options } = { isNew: true }) {
  opened++;
  keepListed();
  Object.assign(app, { game, listed });
  if (commented) beginComment();
  element('games').selectedIndex = app.games.indexOf(listed);
  keepFocus(() => {
    stopEditing();
    show(options);
  });
}

function openListed(index) {
  const listed = app.games[index];
  try {
    openGame(decodeGame(listed.text), { listed, isNew: true });
  } catch (error) {
    element('games').selectedIndex = app.games.indexOf(app.listed);
    reportProblem(errorText(error));
  }
}

// Lists games and opens the first, unless the address has already opened one.
export function openGames(texts, { keepsGame = false } = {}) {
  // The numbers are random, so that entries of the history that belong to another list select nothing.
  app.games = texts.map((game) => ({ ...game, id: Math.random() }));
  app.listed = null;
  const options = texts.map(({ title }, n) => new Option(`${n + 1}. ${title}`, n));
  element('games').replaceChildren(...options);
  element('games').selectedIndex = -1;
  element('games').hidden = texts.length < 2;
  if (texts.length && !keepsGame) openListed(0);
}

export function playMove(move) {
  const { node } = app.game;
  const count = node.children.length;
  app.game.node = addMove(node, move);
  const isNew = node.children.length > count;
  if (isNew && isMainLine(app.game.node)) removeAccuracy();
  show({ isNew });
}

// A move of the user, from the board or a list of moves.
function tryMove(move) {
  const refusal = app.refusal() || whyIllegal(app.game.node.position, fromOf(move), toOf(move));
  if (refusal) {
    drawBoard();
    say(t(refusal));
  } else playMove(move);
}

// A button that plays a move of the current position.
export function moveButton(move) {
  const button = makeButton(notate(app.game.node.position, move, view.notation), () => tryMove(move));
  button.dataset.move = move;
  return button;
}

// The game or position of a link; null without one.
export function gameOfLink({ hash, search }) {
  // Other sites append parameters such as `&lang=1`.
  const [fragment, [query]] = [hash.slice(1), search.slice(1).split('&')];
  const text = fragment || (/\/|%2F/i.test(query) ? query.replaceAll('+', ' ') : '');
  return text ? decodeGame(text) : null;
}

// Opens the game or position of the entry of the history or of its address; returns false if they have neither.
export function openAddress() {
  let game = null;
  try {
    game = history.state?.text ? decodeGame(history.state.text) : gameOfLink(location);
    if (!game) return false;
  } catch (error) {
    app.problem = errorText(error);
  }
  const listed = app.games.find(({ id }) => id === history.state?.id);
  openGame(game || newGame(), { listed, keepsAddress: true });
  return true;
}

// Removes the words `position` and `fen`, as in a command of UCI.
const withoutPrefix = (text) => text.trim().replace(/^(position\s+)?(fen\s+)?/i, '');

// Whether a text is only a FEN, without moves. A FEN of chess, such as `… w KQkq e3 0 1`, is one too.
export const isFen = (text) => (
  /^(startpos|[a-z1-9?]+(\/[a-z1-9?]+)+(\[-?\])?(\s+[wrb](\s+([-\dkq]+|[a-h][36]))*)?)$/i.test(withoutPrefix(text))
);

// Sets up a position after the server or the page has checked it. A text that the page cannot read goes to the server.
export async function setUp(text) {
  const isWanted = beginOpening();
  if (!isWanted) return;
  try {
    const [start, moves = ''] = withoutPrefix(text).split(/\s+moves\s+/);
    const game = newGame(/^startpos$/i.test(start) ? undefined : await app.check(start));
    for (const move of moves.split(/\s+/).filter(Boolean)) game.node = addMove(game.node, move);
    if (isWanted()) openGame(game);
  } catch (error) {
    if (!isWanted()) return;
    if (app.read && !isFen(text)) await app.read(text, { isConfirmed: true });
    else say(errorText(error));
  }
}

function walk(key) {
  const { node, root } = app.game;
  const line = lineAfter(node);
  const siblings = node.parent ? node.parent.children : [];
  const index = siblings.indexOf(node);
  const target = {
    ArrowLeft: node.parent, ArrowRight: line[0], Home: root, End: line[line.length - 1],
    ArrowUp: siblings[index - 1], ArrowDown: siblings[index + 1],
  }[key];
  if (target && target !== node) go(target);
}

// Removes the accuracy of a review, which was that of another main line.
export function removeAccuracy() {
  for (const name of ['RedAccuracy', 'BlackAccuracy']) delete app.game.tags[name];
}

function promote() {
  removeAccuracy();
  for (let { node } = app.game; node.parent; node = node.parent) {
    const { children } = node.parent;
    children.splice(children.indexOf(node), 1);
    children.unshift(node);
  }
  show({ isNew: true });
}

function deleteMoves() {
  const { node } = app.game;
  if (!node.parent || !app.mayLeave(node)) return;
  if (isMainLine(node)) removeAccuracy();
  node.parent.children.splice(node.parent.children.indexOf(node), 1);
  app.game.node = node.parent;
  show({ isNew: true });
}

export function flip(isFlipped = !view.flipped) {
  view.flipped = isFlipped;
  redraw();
}

export function buildStudy() {
  view.onMove = (from, to) => tryMove(moveOf(from, to));
  const keys = { first: 'Home', back: 'ArrowLeft', next: 'ArrowRight', last: 'End' };
  for (const [id, key] of Object.entries(keys)) element(id).addEventListener('click', () => walk(key));
  element('flip').addEventListener('click', () => flip());
  element('games').addEventListener('change', () => {
    if (app.mayLeave()) openListed(element('games').value);
    else element('games').selectedIndex = app.games.indexOf(app.listed);
  });
  element('promote').addEventListener('click', promote);
  element('delete').addEventListener('click', deleteMoves);
  element('comment').addEventListener('focus', beginComment);
  element('comment').addEventListener('input', storeComment);
  element('comment').addEventListener('blur', () => {
    commented = null;
    drawMoves();
  });
  for (const [glyph, mark] of Object.entries(moveMarks)) {
    const button = makeButton(mark, () => {
      const { node } = app.game;
      const isSet = node.glyphs.includes(Number(glyph));
      node.glyphs = isSet ? node.glyphs.filter((other) => other !== Number(glyph)) : [Number(glyph)];
      show({ isNew: true });
    });
    button.dataset.glyph = glyph;
    element('glyphs').append(button);
  }
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest('input, textarea, select');
    if (isTyping || event.ctrlKey || event.altKey || event.metaKey || document.body.classList.contains('editing')) return;
    const letter = event.key.toLowerCase();
    if (event.key.startsWith('Arrow') || event.key === 'Home' || event.key === 'End') walk(event.key);
    else if (letter === 'f') flip();
    else if (letter === 'd') setDrawing(!view.isDrawing);
    else return;
    event.preventDefault();
  });
  addEventListener('popstate', () => {
    pending = null;
    app.problem = '';
    if (app.mayLeave()) openAddress() || openGame(newGame(), { keepsAddress: true });
    else writeAddress(true);
    if (app.problem) say(app.problem);
  });
}
