// Elements of the page, its texts in both languages, and the names of pieces.

import { PIECE_NAMES } from './rules.js';

export const element = (id) => document.getElementById(id);

export function makeButton(text, onClick) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = text;
  button.addEventListener('click', onClick);
  return button;
}

// The result of a function that uses the storage of the browser; null after an error, as without storage.
export function tryStorage(use) {
  try {
    return use();
  } catch {
    return null;
  }
}

// Each text in English and Chinese; t() replaces each {} by a value.
const TEXTS = {
  title: ['Chuhe', '楚河'],
  'title library': ['Chuhe cloud library', '楚河云库'],
  'title review': ['Chuhe review', '楚河评棋'],
  language: ['中文', 'English'],
  board: ['Board', '棋盘'],
  comma: [', ', '，'],
  // Board and moves.
  empty: ['empty', '空'],
  selected: ['selected', '已选'],
  target: ['legal target', '可走'],
  w: ['Red', '红方'],
  b: ['Black', '黑方'],
  'to move w': ['Red to move', '红方走棋'],
  'to move b': ['Black to move', '黑方走棋'],
  check: ['Check!', '将军！'],
  checkmate: ['Checkmate (将死)', '将死'],
  stalemate: ['No legal move (困毙)', '困毙'],
  moves: ['Moves', '着法'],
  'no moves': [
    'No moves yet. Click or drag a piece, or use Tab and the arrow keys.',
    '尚无着法。点击或拖动棋子走棋，也可以用 Tab 键和方向键。',
  ],
  first: ['Start (Home)', '开头（Home）'],
  back: ['Back (←)', '后退（←）'],
  next: ['Forward (→)', '前进（→）'],
  last: ['End (End)', '末尾（End）'],
  flip: ['Flip the board (F)', '翻转棋盘（F）'],
  'draw mode': ['Draw arrows and circles (D)', '画箭头和圆圈（D）'],
  'draw hint': [
    'Drag from one square to another to draw an arrow, or choose both squares one after the other; choose a square twice '
      + 'for a circle. Draw the same arrow or circle again to remove it. D or the button ↗ ends drawing. The right '
      + 'mouse button and a long press draw at any time.',
    '从一点拖到另一点，或先后选两点，画箭头；同一点选两次画圆圈；重复一次则擦除。按 D 键或点 ↗ 结束画图。鼠标右键和长按随时可画。',
  ],
  'arrow to': ['arrow to {}', '箭头指向{}'],
  circled: ['circled', '有圆圈'],
  delete: ['Delete from here', '删除此后着法'],
  promote: ['Make main line', '设为主线'],
  comment: ['Comment on the current move', '当前着法的注释'],
  'illegal empty': ['There is no piece on this square', '此处没有棋子'],
  'illegal side': ['It is the other side’s turn', '轮到对方走棋'],
  'illegal own': ['Your own piece is on this square', '此处有己方棋子'],
  'illegal facing': ['The kings would face each other on an open file', '将帅不能照面'],
  'illegal still check': ['The king would still be in check', '没有应将'],
  'illegal into check': ['The king would be in check', '不能送将'],
  'illegal leg': ['The knight is blocked by the piece beside it (蹩马腿)', '蹩马腿'],
  'illegal knight': ['A knight moves one step straight and one diagonally', '马走日字'],
  'illegal bishop': ['A bishop moves exactly two squares diagonally', '象（相）走田字'],
  'illegal eye': ['The bishop is blocked in the middle (塞象眼)', '塞象眼'],
  'illegal river': ['A bishop may not cross the river', '象（相）不能过河'],
  'illegal straight': ['This piece moves along ranks and files', '此子走直线'],
  'illegal blocked': ['A piece is in the way', '中间有棋子阻挡'],
  'illegal screen': ['A cannon captures over exactly one piece', '炮吃子须隔一子'],
  'illegal pawn': [
    'A pawn moves one step forward, and sideways only after crossing the river',
    '兵（卒）每次前进一步，过河后可横走',
  ],
  'illegal advisor': ['An advisor moves one step diagonally within the palace', '士（仕）在九宫内斜走一步'],
  'illegal king': ['A king moves one step within the palace', '将（帅）在九宫内走一步'],
  'engine turn': ['It is the engine’s turn', '轮到引擎走棋'],
  'game resumed': ['The game against the engine continues', '继续与引擎对弈'],
  'game over': ['The game is over', '对局已结束'],
  'variation in game': [
    'This is a variation; the game against the engine continues after its last move', '这是变着；与引擎的对局从最后一着继续',
  ],
  // Settings and files.
  settings: ['Settings', '设置'],
  notation: ['Notation', '记谱法'],
  chinese: ['炮二平五', '炮二平五'],
  wxf: ['WXF (C2=5)', 'WXF（C2=5）'],
  coordinates: ['Coordinates (h2e2)', '坐标（h2e2）'],
  pieces: ['Pieces', '棋子'],
  traditional: ['Traditional', '繁体'],
  simplified: ['Simplified', '简体'],
  latin: ['Letters', '字母'],
  game: ['Game', '棋谱'],
  'new game': ['New game', '新局'],
  open: ['Open a file', '打开文件'],
  paste: ['Game or position as text', '粘贴棋谱或局面'],
  'paste hint': ['FEN, PGN, moves, DhtmlXQ, a link …', 'FEN、PGN、着法、DhtmlXQ、链接等'],
  read: ['Read', '读取'],
  'save pgn': ['Save PGN', '保存 PGN'],
  'save picture': ['Save picture', '保存图片'],
  'copy link': ['Copy link', '复制链接'],
  copied: ['The link was copied', '链接已复制'],
  'not copied': [
    'The browser does not allow copying; the address bar has the link, except for very long games',
    '浏览器不允许复制；链接在地址栏中（太长的对局除外）',
  ],
  'drop hint': [
    'You can also drop a file here. It is sent only to the server of this page.',
    '也可以把文件拖到此处。文件只发送给本页面的服务器。',
  ],
  games: ['Games of the file', '文件中的对局'],
  reading: ['Reading…', '读取中…'],
  'no game in link': ['the link contains no game or position that the page can read; paste the game or position', '链接中没有本页面能读取的对局或局面；请粘贴棋谱或局面'],
  loaded: ['Games read: {}', '已读取 {} 局'],
  'other files': ['Other files, not opened: {}', '另有 {} 个文件未打开'],
  'long address': ['The browser does not keep a game of this length; save it to a file', '对局太长，浏览器无法保留；请另存为文件'],
  'too large': ['The file is larger than 16 MB', '文件大于 16 MB'],
  'invalid board': ['This is not a legal position', '局面不合法'],
  'invalid game': ['This is not a valid game', '对局不合法'],
  'part omitted': ['a part could not be read: {}', '有一部分无法读取：{}'],
  // Editor.
  edit: ['Set up a position', '摆局面'],
  fen: ['FEN', 'FEN'],
  set: ['Set', '设置局面'],
  clear: ['Clear', '清空'],
  fill: ['Starting position', '起始局面'],
  done: ['Done', '完成'],
  cancel: ['Cancel', '取消'],
  remove: ['Remove', '擦除'],
  hint: [
    'Choose a piece and click squares to place or remove it. If none is chosen, click a piece and then a square to '
      + 'move it.',
    '先选棋子，再点棋盘放下或取走；不选则先后点两处移动棋子。',
  ],
  palette: ['Pieces to place', '可摆的棋子'],
  // Engine.
  engine: ['Engine', '引擎'],
  analyse: ['Analyze', '分析'],
  stop: ['Stop', '停止'],
  lines: ['Lines', '主变数'],
  threads: ['Threads', '线程'],
  hash: ['Hash (MB)', '置换表（MB）'],
  arrows: ['Arrows', '箭头'],
  speed: ['depth {} · {} nodes/s · {} nodes · hash {} %', '深度 {} · 每秒 {} 节点 · {} 节点 · 置换表 {} %'],
  'tablebase hits': [' · {} tablebase positions', ' · 残局库命中 {}'],
  chances: ['Red wins {} %, draw {} %, black wins {} %', '红胜 {} %，和 {} %，黑胜 {} %'],
  'analysis off': ['The analysis is off', '分析已关闭'],
  book: ['Opening book: {}', '开局库：{}'],
  builtin: ['built-in', '内置'],
  tablebase: ['Endgame tablebase: {}', '残局库：{}'],
  opening: ['Opening: {}', '开局：{}'],
  win: ['win in {} plies', '{} 步胜'],
  loss: ['loss in {} plies', '{} 步负'],
  draw: ['draw', '和'],
  'unknown result': ['unknown', '未知'],
  'with limit': ['{} ({})', '{}（{}）'],
  'limit capture needed': ['if a capture comes before the no-capture limit', '须在自然限着之前吃子'],
  'limit unknown': ['if a capture comes before the no-capture limit, which is unknown', '自然限着之前能否吃子未知'],
  'limit too late': ['but the no-capture limit comes first', '但自然限着先到'],
  'win by rule': ['win by repetition rules', '按棋规胜'],
  'loss by rule': ['loss by repetition rules', '按棋规负'],
  knowledge: ['Book and tablebases', '开局库与残局库'],
  'no knowledge': ['This position is in no book or tablebase.', '开局库和残局库中都没有这个局面。'],
  // Play.
  play: ['Play against the engine', '与引擎对弈'],
  'as red': ['Play red', '执红'],
  'as black': ['Play black', '执黑'],
  strength: ['Strength', '棋力'],
  full: ['Full strength', '最强'],
  level: ['{} ({} Elo)', '{} 级（{} 分）'],
  seconds: ['Seconds per move', '每步秒数'],
  minutes: ['Minutes (0: no clock)', '每方分钟数（0 为不用棋钟）'],
  increment: ['Increment in seconds', '每步加秒'],
  resign: ['Resign', '认输'],
  'offer draw': ['Offer a draw', '提和'],
  'ask again': ['Ask again', '再试一次'],
  'engine failed': ['The engine returned no move, and the clocks are stopped: {}', '引擎没有走棋，棋钟已停：{}'],
  'leave game': ['The game against the engine continues. Do this once more to leave it.', '与引擎的对局继续。再操作一次则离开对局。'],
  'take back': ['Take back', '悔棋'],
  'end play': ['End the game', '结束对局'],
  thinking: ['The engine is thinking…', '引擎思考中…'],
  'draw agreed': ['Draw by agreement', '双方议和'],
  'too early': ['The engine declines: it is too early for a draw', '引擎不同意：现在提和太早'],
  better: ['The engine declines: its position is better', '引擎不同意：引擎一方占优'],
  'wins w': ['Red wins', '红胜'],
  'wins b': ['Black wins', '黑胜'],
  'result resigned': ['{} resigns', '{}认输'],
  'result time': ['{} has run out of time', '{}超时'],
  'result draw': ['Draw', '和棋'],
  result: ['Result: {}', '结果：{}'],
  Repetition: ['repetition', '循环反复'],
  InsufficientMaterial: ['insufficient material', '双方均无进攻子力'],
  NoCapture: ['no-capture limit', '自然限着'],
  'by rule': ['by the rules ({}): {}', '按棋规（{}）：{}'],
  // Review.
  review: ['Review', '评棋'],
  'start review': ['Review the game', '点评本局'],
  'time per move': ['Seconds per move', '每步秒数'],
  progress: ['{} of {} positions', '已完成 {} / {} 个局面'],
  accuracy: ['accuracy', '准确率'],
  side: ['Side', '一方'],
  inaccuracy: ['inaccuracies', '缓着'],
  mistake: ['mistakes', '失着'],
  blunder: ['blunders', '败着'],
  'nothing to review': ['There are no moves to review', '没有可点评的着法'],
  graph: ['Red’s expected points by ply', '红方期望得分曲线'],
  points: ['Red’s expected points: {} %', '红方期望得分 {} %'],
  mistakes: ['Mistakes', '失误'],
  reviewed: ['The game has been reviewed', '评棋完成'],
  'review running': ['A review is running', '正在评棋'],
  'review interrupted': [
    'Another search has ended the review; the moves judged so far are kept', '评棋被另一项计算中断；已评的着法保留',
  ],
  evaluation: ['{} for red at depth {}', '红方 {}（深度 {}）'],
  'grade inaccuracy': ['inaccuracy', '缓着'],
  'grade mistake': ['mistake', '失着'],
  'grade blunder': ['blunder', '败着'],
  // Library.
  library: ['Library', '云库'],
  move: ['Move', '着法'],
  score: ['Score', '分数'],
  note: ['Note', '注记'],
  wins: ['Win rate', '胜率'],
  queue: ['Request a search', '提交计算'],
  unknown: ['The library does not know this position', '云库中没有这个局面'],
  'show unknown': ['{} moves without a score', '{} 个着法没有分数'],
  line: ['Line: {}', '主变：{}'],
  'engine move': ['Move of the engine: {}', '引擎着法：{}'],
  'rate limit exceeded': ['Too many requests; wait a moment', '请求过于频繁，请稍候'],
  tokenerror: ['Not allowed: enter a valid token with a sufficient role below', '没有权限：请在下方输入有效且权限足够的令牌'],
  queued: ['A search has been requested. The result will appear here.', '已提交计算，结果将显示在此处。'],
  'the library is read-only': ['The library is read-only', '云库只读'],
  filtered: ['The library does not search positions with so few pieces', '子力太少，云库不搜索这样的局面'],
  'no game': [
    'The library does not search positions with so few pieces; the game ends',
    '子力太少，云库不搜索这样的局面，对弈结束',
  ],
  network: ['The server does not answer. Is Chuhe still running?', '服务器没有回应。楚河还在运行吗？'],
  retry: ['Try again', '重试'],
  'status 401': ['Not allowed: enter a valid token with a sufficient role below', '没有权限：请在下方输入有效且权限足够的令牌'],
  'status 403': ['Not allowed: enter a valid token with a sufficient role below', '没有权限：请在下方输入有效且权限足够的令牌'],
  'status 413': ['The file is too large for this server', '文件太大，服务器不接受'],
  'status 414': ['The game is too long for the server', '对局太长，服务器无法处理'],
  'status 431': ['The game is too long for the server', '对局太长，服务器无法处理'],
  'status 429': ['Too many requests; wait a moment', '请求过于频繁，请稍候'],
  'status 503': ['The library cannot be read or written now (503)', '云库暂时无法读写（503）'],
  'invalid reply': ['The server sent an invalid reply', '服务器的回应无效'],
  'waiting library': ['Waiting for the library…', '等待云库…'],
  idle: ['Waiting for the library… (no worker is running)', '等待云库…（没有计算程序在运行）'],
  status: ['The server rejects the request ({})', '服务器拒绝请求（{}）'],
  other: ['Reply of the library: {}', '云库的回应：{}'],
  token: ['Token', '令牌'],
  use: ['Use', '使用'],
  'token note': [
    'Kept only in this tab and sent to the server with each request.',
    '只保存在这个标签页中，随请求发送给服务器。',
  ],
  'token form': ['A token consists of letters, digits and - . _ ~', '令牌只能由字母、数字和 - . _ ~ 组成'],
  'no stats': ['Statistics not available: {}', '无法取得统计数据：{}'],
  stats: ['Positions: {} · moves to score: {} · positions to expand: {}', '局面 {} · 待评分 {} · 待筛选 {}'],
  workers: [
    'Workers: {} · scores in the last minute: {} · time left: {}',
    '计算程序 {} · 上一分钟评分 {} · 剩余时间 {}',
  ],
  'no side': ['no side', '不走'],
  both: ['both sides', '双方'],
  'library side': ['The library plays', '云库走棋'],
  signed: ['{}, {}', '{}，{}'],
  private: ['private', '私有'],
  'last note': ['Note on {}: {}', '{} 的注记：{}'],
  'edit note': ['Note on the last move', '为上一着写注记'],
  'note name': ['Name of the opening or variation', '开局或变例名称'],
  'note comment': ['Comment', '注释'],
  'note verdict': ['Move', '着法评价'],
  'note position': ['Position', '局面评价'],
  'note private': ['Private: only writers see this move and the positions after it', '私有：有写入权限的人才能看到此着及其后的局面'],
  'no verdict': ['none', '无'],
  save: ['Save', '保存'],
  'note saved': ['The note was saved', '注记已保存'],
  'no last move': ['Make a move first; the note belongs to the last move', '请先走一着；注记针对上一着'],
  jobs: ['Searches of uploaded files', '上传文件的计算任务'],
  upload: ['Upload games or a list of FENs', '上传棋谱或 FEN 列表'],
  priority: ['Priority', '优先级'],
  low: ['low', '低'],
  normal: ['normal', '普通'],
  high: ['high', '高'],
  'job added': ['Job {}: {} games, {} searches', '任务 {}：{} 局，{} 项计算'],
  'no jobs': ['No file was uploaded yet.', '尚未上传文件。'],
  job: ['{}. {} ({}): {} of {} · {}', '{}. {}（{}）：{} / {} · {}'],
  'job failed': ['{}, {} without a result', '{}，{} 项没有结果'],
  'job running': ['running', '进行中'],
  'job done': ['finished', '已完成'],
  'job canceled': ['canceled', '已取消'],
};

export const LETTERS = {
  traditional: {
    K: '帥', A: '仕', B: '相', N: '傌', R: '俥', C: '炮', P: '兵',
    k: '將', a: '士', b: '象', n: '馬', r: '車', c: '砲', p: '卒',
  },
  simplified: PIECE_NAMES,
  latin: Object.fromEntries([...'KABNRCPkabnrcp'].map((letter) => [letter, letter])),
};
const ENGLISH_NAMES = { k: 'king', a: 'advisor', b: 'bishop', n: 'knight', r: 'rook', c: 'cannon', p: 'pawn' };

// The language that the user has chosen, or that of the browser.
const keptLanguage = tryStorage(() => localStorage.getItem('language'));
export let language = ['en', 'zh'].includes(keptLanguage) ? keptLanguage
  : (globalThis.navigator?.language || 'zh').startsWith('zh') ? 'zh' : 'en';

// The text of a key, with each {} replaced by the next value.
export function t(key, ...values) {
  const texts = TEXTS[key];
  let index = 0;
  return texts ? texts[language === 'en' ? 0 : 1].replaceAll('{}', () => String(values[index++])) : key;
}

export const hasText = (key) => Object.hasOwn(TEXTS, key);

// The message of an error, which may be the key of a text.
export const errorText = ({ message }) => (hasText(message) ? t(message) : message);

// The name of a piece with its color.
export function pieceName(piece) {
  const isRed = piece < 'a';
  if (language === 'zh') return (isRed ? '红' : '黑') + PIECE_NAMES[piece];
  return `${isRed ? 'red' : 'black'} ${ENGLISH_NAMES[piece.toLowerCase()]}`;
}

// Writes the texts of all elements with `data-text` (content), `data-label` (accessible name) and `data-hint`.
export function translate(title) {
  document.documentElement.lang = language === 'zh' ? 'zh-Hans' : 'en';
  document.title = t(title);
  element('title').textContent = t(title);
  for (const node of document.querySelectorAll('[data-text]')) node.textContent = t(node.dataset.text);
  for (const node of document.querySelectorAll('[data-label]')) {
    node.setAttribute('aria-label', t(node.dataset.label));
    node.title = t(node.dataset.label);
  }
  for (const node of document.querySelectorAll('[data-hint]')) node.placeholder = t(node.dataset.hint);
}

export function switchLanguage() {
  language = language === 'zh' ? 'en' : 'zh';
  tryStorage(() => localStorage.setItem('language', language));
}

export const moveMarks = { 1: '!', 2: '?', 3: '!!', 4: '??', 5: '!?', 6: '?!' };
export const positionMarks = {
  10: '=', 13: '∞', 14: '+/=', 15: '=/+', 16: '+/-', 17: '-/+', 18: '+-', 19: '-+',
};

// The grades of a review by glyph.
export const GRADES = { 6: 'inaccuracy', 2: 'mistake', 4: 'blunder' };

export const glyphText = (glyphs) => glyphs.map((glyph) => moveMarks[glyph] || ` ${positionMarks[glyph] || ''}`).join('').trimEnd();
