'use strict';

// What the page says, in both languages.
const TEXTS = {
  zh: {
    title: '楚河云库', back: '后退', forward: '前进', restart: '开局', flip: '翻转', queue: '提交计算',
    play: '与云库对弈', set: '设置局面', move: '着法', score: '分数', note: '备注', wins: '胜率', line: '主变: ',
    'invalid board': '局面不合法', unknown: '云库中没有这个局面', checkmate: '将死', stalemate: '困毙',
    'rate limit exceeded': '查询过于频繁', tokenerror: '没有权限', queued: '已提交计算', filtered: '云库不保存这样的局面',
    network: '网络错误', thinking: '等待云库…', language: 'English', river: ['楚', '河', '汉', '界'],
    stats: (s) => `局面 ${s.positions} · 待评分 ${s.waiting_to_be_scored} · 待筛选 ${s.waiting_to_be_sieved}`,
  },
  en: {
    title: 'Chuhe cloud library', back: 'Back', forward: 'Forward', restart: 'Start', flip: 'Flip', queue: 'Queue',
    play: 'Play the library', set: 'Set up', move: 'Move', score: 'Score', note: 'Note', wins: 'Wins', line: 'Line: ',
    'invalid board': 'No legal position', unknown: 'The library does not know this position', checkmate: 'Checkmate',
    stalemate: 'Stalemate', 'rate limit exceeded': 'Too many requests', tokenerror: 'Not allowed',
    queued: 'To be searched', filtered: 'The library does not keep such positions', network: 'The server does not answer',
    thinking: 'Waiting for the library…', language: '中文', river: ['楚', '河', '汉', '界'],
    stats: (s) => `${s.positions} positions · ${s.waiting_to_be_scored} to be scored · ${s.waiting_to_be_sieved} to be sieved`,
  },
};
const PIECES = {
  K: '帅', A: '仕', B: '相', N: '马', R: '车', C: '炮', P: '兵',
  k: '将', a: '士', b: '象', n: '马', r: '车', c: '炮', p: '卒',
};
const START = 'rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w';
const FILES = 'abcdefghi';

const element = (id) => document.getElementById(id);
let language = (navigator.language || 'zh').startsWith('zh') ? 'zh' : 'en';
// The game: where it began, its moves, and how many of them are played.
let game = { start: START, moves: [], ply: 0 };
let entries = [];
let chosen = null;
let isFlipped = false;
// The side that the library plays, if it does.
let librarySide = null;
// Replies to questions of earlier positions are not shown.
let question = 0;

const text = (key) => TEXTS[language][key];

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

async function ask(action, more = {}) {
  const parameters = new URLSearchParams({ action, json: '1', board: write(boardNow()), ...more });
  const response = await fetch('/chessdb.php', { method: 'POST', body: parameters });
  return response.json();
}

function place(square) {
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
  const board = boardNow();
  const targets = entries.filter((entry) => entry.uci.startsWith(chosen || '-')).map((entry) => entry.uci.slice(2));
  const last = game.ply ? game.moves[game.ply - 1] : '';
  for (let rank = 0; rank < 10; rank++) {
    for (const file of FILES) {
      const square = file + rank;
      const [cx, cy] = place(square);
      const piece = board.squares[square];
      if (piece) {
        draw('circle', { cx, cy, r: 22, class: square === chosen ? 'chosen' : '' });
        draw('text', { x: cx, y: cy, class: piece < 'a' ? 'red' : 'black' }, PIECES[piece]);
      }
      if (last && last.includes(square)) draw('circle', { cx, cy, r: 24, class: 'last' });
      if (targets.includes(square)) draw('circle', { cx, cy, r: 8, class: 'target' });
      const point = draw('circle', { cx, cy, r: 24, class: 'point', 'data-square': square });
      point.addEventListener('click', () => choose(square));
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
  element('status').textContent = text(key) || '';
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

// Asks for the position on the board and shows what is known.
async function show() {
  const asked = ++question;
  [entries, chosen] = [[], null];
  element('fen').value = write(boardNow());
  element('line').textContent = '';
  history.replaceState(null, '', `#${encodeURIComponent(element('fen').value)}`);
  drawBoard();
  drawMoves();
  say('');
  try {
    const list = await ask('queryall', { showall: '1' });
    if (asked !== question) return;
    entries = list.moves || [];
    drawBoard();
    drawMoves();
    if (!list.moves) { say(list.status); return; }
    if (entries[0].score === '??') say('unknown');
    const line = await ask('querypv', { stable: '1' });
    if (asked !== question) return;
    if (line.pv) element('line').textContent = text('line') + line.pv.join(' ');
    if (boardNow().side === librarySide) await answer(asked);
  } catch {
    if (asked === question) say('network');
  }
}

// Plays a move of the library; waits until there is one.
async function answer(asked) {
  const ban = [];
  if (game.ply >= 3) {
    const movelist = game.moves.slice(0, game.ply).join('|');
    const rules = await ask('queryrule', { board: game.start, movelist });
    ban.push(...(rules.moves || []).filter((move) => move.rule === 'ban').map((move) => `move:${move.uci}`));
  }
  const reply = await ask('querybest', { ban: ban.join('|') });
  if (asked !== question) return;
  const known = entries.find((entry) => entry.score !== '??' && !ban.includes(`move:${entry.uci}`));
  const move = reply.move || reply.egtb || (reply.search_moves || []).map((found) => found.uci)[0] || known?.uci;
  if (move) { play(move); return; }
  say('thinking');
  await ask('queue');
  setTimeout(() => { if (asked === question) show(); }, 2000);
}

async function queue() {
  try {
    const reply = await ask('queue');
    say(reply.status === 'ok' ? 'queued' : reply.status || 'filtered');
  } catch {
    say('network');
  }
}

async function showStats() {
  try {
    const response = await fetch('/stats');
    if (response.ok) element('stats').textContent = text('stats')(await response.json());
  } catch {
    element('stats').textContent = '';
  }
}

function translate() {
  document.documentElement.lang = language;
  document.title = text('title');
  for (const node of document.querySelectorAll('[data-text]')) node.textContent = text(node.dataset.text);
  element('language').textContent = text('language');
}

function setUp(fen) {
  const [placement, side] = fen.trim().split(/[ _]+/);
  const rows = (placement || '').split('/');
  const width = (row) => [...row].reduce((sum, letter) => sum + (Number(letter) || 1), 0);
  const isBoard = rows.length === 10 && rows.every((row) => /^[KABNRCPkabnrcp1-9]+$/.test(row) && width(row) === 9);
  if (!isBoard) { say('invalid board'); return false; }
  game = { start: `${placement} ${side === 'b' ? 'b' : 'w'}`, moves: [], ply: 0 };
  show();
  return true;
}

element('language').addEventListener('click', () => {
  language = language === 'zh' ? 'en' : 'zh';
  translate();
  show();
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

function setPlaying(side) {
  librarySide = side;
  element('play').setAttribute('aria-pressed', String(side !== null));
}

translate();
let first = START;
try {
  first = decodeURIComponent(location.hash.slice(1)) || START;
} catch {
  // A broken address begins with the starting position.
}
if (!setUp(first)) setUp(START);
showStats();
setInterval(showStats, 15000);
