'use strict';

const START = 'rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w';
const FILES = 'abcdefghi';

const element = (id) => document.getElementById(id);
// The game: its start, its moves, and the number of moves played.
let game = { start: START, moves: [], ply: 0 };
let entries = [];
let chosen = null;
let isFlipped = false;
// The side that the library plays, or null.
let librarySide = null;
// Number of the current query; replies to earlier ones are not shown.
let query = 0;
// The latest statistics of the library.
let stats = null;
// The access token; it is kept in this tab.
let token = '';
try {
  token = sessionStorage.getItem('token') || '';
} catch {
  // Without storage the token is lost with the page.
}

// A board: the pieces by square, such as "e0", and the side to move.
function parse(fen) {
  const [placement, side] = fen.split(' ');
  const squares = {};
  placement.split('/').forEach((row, index) => {
    let file = 0;
    for (const letter of row) {
      if (/\d/.test(letter)) file += Number(letter);
      else squares[FILES[file++] + (9 - index)] = letter;
    }
  });
  return { squares, side };
}

function write(board) {
  const rows = [];
  for (let rank = 9; rank >= 0; rank--) {
    let row = '';
    let empty = 0;
    for (const file of FILES) {
      const piece = board.squares[file + rank];
      if (!piece) { empty++; continue; }
      row += (empty || '') + piece;
      empty = 0;
    }
    rows.push(row + (empty || ''));
  }
  return `${rows.join('/')} ${board.side}`;
}

function boardNow() {
  const board = parse(game.start);
  for (const move of game.moves.slice(0, game.ply)) {
    board.squares[move.slice(2)] = board.squares[move.slice(0, 2)];
    delete board.squares[move.slice(0, 2)];
    board.side = board.side === 'w' ? 'b' : 'w';
  }
  return board;
}

// An HTTP status other than 200, or 0 for an invalid reply.
class Refusal extends Error {
  constructor(status) {
    super(`status ${status}`);
    this.status = status;
  }
}

// Sends a request and returns the reply, an object.
async function request(path, options = {}) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const response = await fetch(path, { ...options, headers });
  if (!response.ok) throw new Refusal(response.status);
  const reply = await response.json().catch(() => null);
  if (reply === null || typeof reply !== 'object') throw new Refusal(0);
  return reply;
}

async function ask(action, more = {}) {
  const parameters = new URLSearchParams({ action, json: '1', board: write(boardNow()), ...more });
  return request('chessdb.php', { method: 'POST', body: parameters });
}

// The message about a failed request.
function fail(error) {
  if (!(error instanceof Refusal)) return text('network');
  const known = { 0: 'nonsense', 401: 'tokenerror', 403: 'tokenerror', 429: 'rate limit exceeded', 503: 'unavailable' };
  const key = known[error.status];
  return key ? text(key) : text('status')(error.status);
}

function report(error) {
  element('status').textContent = fail(error);
}

function center(square) {
  let [x, y] = [FILES.indexOf(square[0]), 9 - Number(square[1])];
  if (isFlipped) [x, y] = [8 - x, 9 - y];
  return [25 + 50 * x, 25 + 50 * y];
}

function draw(name, attributes, content = '') {
  const node = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.textContent = content;
  element('board').append(node);
  return node;
}

function drawLines() {
  const line = (x1, y1, x2, y2) => draw('line', { x1: 25 + 50 * x1, y1: 25 + 50 * y1, x2: 25 + 50 * x2, y2: 25 + 50 * y2 });
  for (let y = 0; y < 10; y++) line(0, y, 8, y);
  for (let x = 0; x < 9; x++) {
    if (x === 0 || x === 8) { line(x, 0, x, 9); continue; }
    line(x, 0, x, 4);
    line(x, 5, x, 9);
  }
  for (const y of [0, 7]) { line(3, y, 5, y + 2); line(5, y, 3, y + 2); }
  text('river').forEach((sign, n) => draw('text', { x: [75, 125, 325, 375][n], y: 250, class: 'river' }, sign));
}

function drawBoard() {
  element('board').replaceChildren();
  drawLines();
  const board = edited || boardNow();
  const marked = edited ? current : chosen;
  const reached = edited ? [] : entries.filter((entry) => entry.uci.startsWith(chosen || '-'));
  const targets = reached.map((entry) => entry.uci.slice(2));
  const last = game.ply && !edited ? game.moves[game.ply - 1] : '';
  for (let rank = 0; rank < 10; rank++) {
    for (const file of FILES) {
      const square = file + rank;
      const [cx, cy] = center(square);
      const piece = board.squares[square];
      if (piece) {
        draw('circle', { cx, cy, r: 22, class: square === marked ? 'chosen' : '' });
        draw('text', { x: cx, y: cy, class: piece < 'a' ? 'red' : 'black' }, PIECES[piece]);
      }
      if (last && last.includes(square)) draw('circle', { cx, cy, r: 24, class: 'last' });
      if (targets.includes(square)) draw('circle', { cx, cy, r: 8, class: 'target' });
      const point = draw('circle', { cx, cy, r: 24, class: 'point', 'data-square': square });
      point.addEventListener('click', () => (edited ? editSquare(square) : choose(square)));
    }
  }
}

function choose(square) {
  const move = entries.find((entry) => entry.uci === chosen + square);
  if (move) { play(move.uci); return; }
  chosen = entries.some((entry) => entry.uci.startsWith(square)) ? square : null;
  drawBoard();
}

function play(move) {
  game.moves = [...game.moves.slice(0, game.ply), move];
  go(game.ply + 1);
}

function go(ply) {
  game.ply = Math.max(0, Math.min(ply, game.moves.length));
  show();
}

function say(key) {
  const known = Object.hasOwn(TEXTS[language], key) && text(key);
  element('status').textContent = typeof known === 'string' ? known : key && text('other')(key);
}

function drawMoves() {
  const rows = entries.map((entry) => {
    const row = document.createElement('tr');
    row.className = entry.score === '??' ? 'unknown' : `rank${entry.rank}`;
    for (const value of [entry.uci, entry.score, entry.note, entry.winrate || '']) {
      const cell = document.createElement('td');
      cell.textContent = value;
      row.append(cell);
    }
    row.addEventListener('click', () => play(entry.uci));
    return row;
  });
  element('moves').replaceChildren(...rows);
}

// Queries the position on the board and shows the known moves.
async function show() {
  const requested = ++query;
  [entries, chosen] = [[], null];
  element('fen').value = write(boardNow());
  element('line').textContent = '';
  history.replaceState(null, '', `#${encodeURIComponent(element('fen').value)}`);
  drawBoard();
  drawMoves();
  say('');
  try {
    const list = await ask('queryall', { showall: '1' });
    if (requested !== query) return;
    entries = list.moves || [];
    drawBoard();
    drawMoves();
    if (!list.moves) { say(list.status || 'nonsense'); return; }
    if (entries[0].score === '??') {
      say('unknown');
      await showEngineMove(requested);
      if (requested !== query) return;
    }
    const line = await ask('querypv', { stable: '1' });
    if (requested !== query) return;
    if (line.pv) element('line').textContent = text('line') + line.pv.join(' ');
    if (boardNow().side === librarySide) await answer(requested);
  } catch (error) {
    if (requested !== query) return;
    setPlaying(null);
    report(error);
  }
}

// Shows a move of the engine in a position with so few pieces that the library does not store it.
async function showEngineMove(requested) {
  const board = new URLSearchParams({ board: write(boardNow()) });
  if (!(await request(`board?${board}`)).note || requested !== query) return;
  say('filtered');
  const reply = await request(`engine?${board}`);
  if (requested !== query || !reply.move) return;
  element('line').textContent = text('engine') + reply.move;
}

// Plays a move of the library. Without one it requests a search and tries again.
async function answer(requested) {
  const ban = [];
  if (game.ply >= 3) {
    const movelist = game.moves.slice(0, game.ply).join('|');
    const rules = await ask('queryrule', { board: game.start, movelist });
    ban.push(...(rules.moves || []).filter((move) => move.rule === 'ban').map((move) => `move:${move.uci}`));
  }
  const reply = await ask('querybest', { ban: ban.join('|') });
  if (requested !== query) return;
  const known = entries.find((entry) => entry.score !== '??' && !ban.includes(`move:${entry.uci}`));
  const move = reply.move || reply.egtb || (reply.search_moves || []).map((found) => found.uci)[0] || known?.uci;
  if (move) { play(move); return; }
  const queued = await ask('queue');
  if (requested !== query) return;
  if (queued.status !== 'ok' && queued.status !== 'rate limit exceeded') {
    setPlaying(null);
    say(queued.status || 'no game');
    return;
  }
  say(queued.status !== 'ok' ? queued.status : stats && stats.workers === 0 ? 'idle' : 'thinking');
  setTimeout(() => { if (requested === query) show(); }, 2000);
}

async function queue() {
  try {
    const reply = await ask('queue');
    say(reply.status === 'ok' ? 'queued' : reply.status || 'filtered');
  } catch (error) {
    report(error);
  }
}

// Hours and minutes.
function duration(seconds) {
  const minutes = Math.ceil(seconds / 60);
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
}

async function showStats() {
  try {
    stats = await request('stats');
    element('stats').textContent = text('stats')(stats);
    element('workers').textContent = text('workers')(stats, duration(stats.backlog_seconds));
  } catch (error) {
    stats = null;
    element('stats').textContent = text('no stats')(fail(error));
    element('workers').textContent = '';
  }
}

function translate() {
  document.documentElement.lang = language;
  document.title = text('title');
  for (const node of document.querySelectorAll('[data-text]')) node.textContent = text(node.dataset.text);
  element('language').textContent = text('language');
}

// Sets up a position, which the server parses. Returns whether it is valid.
async function setUp(fen) {
  const requested = ++query;
  try {
    const reply = await request(`board?${new URLSearchParams({ board: fen })}`);
    if (requested !== query) return true;
    if (reply.status !== 'ok') { say(reply.status || 'nonsense'); return false; }
    game = { start: reply.board, moves: [], ply: 0 };
    stopEditing();
    await show();
    return true;
  } catch (error) {
    if (requested === query) report(error);
    return false;
  }
}

element('language').addEventListener('click', () => {
  language = language === 'zh' ? 'en' : 'zh';
  translate();
  if (edited) showEditor();
  else show();
  showStats();
});
element('back').addEventListener('click', () => { setPlaying(null); go(game.ply - 1); });
element('forward').addEventListener('click', () => go(game.ply + 1));
element('restart').addEventListener('click', () => setUp(START));
element('flip').addEventListener('click', () => { isFlipped = !isFlipped; drawBoard(); });
element('queue').addEventListener('click', queue);
element('play').addEventListener('click', () => {
  setPlaying(librarySide ? null : boardNow().side === 'w' ? 'b' : 'w');
});
element('position').addEventListener('submit', (event) => {
  event.preventDefault();
  setUp(element('fen').value);
});

element('token-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const shown = element('token').value.trim();
  if (!/^[-._~A-Za-z0-9]*$/.test(shown)) { say('token form'); return; }
  token = shown;
  try {
    sessionStorage.setItem('token', token);
  } catch {
    // The token is lost with the page.
  }
  if (edited) say('');
  else show();
  showStats();
});

function setPlaying(side) {
  librarySide = side;
  element('play').setAttribute('aria-pressed', String(side !== null));
}
