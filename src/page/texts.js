// The texts of the page in both languages, and the names of pieces.

export const element = (id) => document.getElementById(id);

const EN = {
  title: 'Chuhe', 'title library': 'Chuhe cloud library', 'title review': 'Chuhe review', language: '中文', board: 'Board',
  // Board and moves.
  empty: 'empty', selected: 'selected', target: 'legal target', red: 'red', black: 'black', w: 'Red', b: 'Black',
  'to move w': 'Red to move', 'to move b': 'Black to move', check: 'Check!', checkmate: 'Checkmate (将死)', stalemate: 'No legal move (困毙)',
  moves: 'Moves', 'no moves': 'No moves yet. Click or drag a piece, or use Tab and the arrow keys.',
  first: 'Start (Home)', back: 'Back (←)', next: 'Forward (→)', last: 'End (End)', flip: 'Turn the board (F)',
  'delete': 'Delete from here', promote: 'Make main line', comment: 'Comment on the current move', moved: '{} {}',
  'illegal empty': 'There is no piece on this square', 'illegal side': 'It is the other side’s turn',
  'illegal own': 'Your own piece is on this square', 'illegal facing': 'The kings would face each other on an open file',
  'illegal still check': 'The king would still be in check', 'illegal into check': 'The king would be in check',
  'illegal leg': 'The knight is blocked by the piece beside it (蹩马腿)', 'illegal knight': 'A knight moves one step straight and one diagonally',
  'illegal bishop': 'A bishop moves exactly two squares diagonally', 'illegal eye': 'The bishop is blocked in the middle (塞象眼)',
  'illegal river': 'A bishop may not cross the river', 'illegal straight': 'This piece moves along lines', 'illegal blocked': 'A piece is in the way',
  'illegal screen': 'A cannon captures over exactly one piece', 'illegal pawn': 'A pawn moves one step forward, and sideways only after the river',
  'illegal advisor': 'An advisor moves one step diagonally within the palace', 'illegal king': 'A king moves one step within the palace',
  'engine turn': 'It is the engine’s turn', 'game over': 'The game is over',
  // Settings and files.
  settings: 'Settings', notation: 'Notation', chinese: '炮二平五', wxf: 'WXF (C2=5)', coordinates: 'Coordinates (h2e2)', pieces: 'Pieces',
  traditional: 'Traditional', simplified: 'Simplified', latin: 'Letters', game: 'Game', 'new game': 'New game', open: 'Open a file',
  paste: 'Game or position as text', 'paste hint': 'FEN, PGN, moves, DhtmlXQ …', read: 'Read', 'save pgn': 'Save PGN', 'save picture': 'Save picture',
  'copy link': 'Copy link', copied: 'The link was copied', 'not copied': 'The browser does not allow copying; the link is in the address bar',
  'drop hint': 'You can also drop a file here. It stays on this machine.', games: 'Games of the file', untitled: '{} – {}', loaded: '{} games were read',
  'too large': 'The file is larger than 16 MB', 'invalid board': 'This is not a legal position', 'invalid game': 'The address contains no valid game',
  'part omitted': 'A part could not be read: {}',
  // Editor.
  edit: 'Set up a position', fen: 'FEN', set: 'Set', clear: 'Clear', fill: 'Starting position', done: 'Done', cancel: 'Cancel', remove: 'Remove',
  hint: 'Choose a piece and click squares to place or remove it; without a choice, two clicks move a piece.', 'palette': 'Pieces to place',
  // Engine.
  engine: 'Engine', analyse: 'Analyse', stop: 'Stop', lines: 'Lines', threads: 'Threads', hash: 'Hash (MB)', arrows: 'Arrows',
  speed: 'depth {} · {} nodes/s · {} nodes · hash {} %', 'table hits': ' · {} tablebase positions', chances: 'Red wins {} %, draw {} %, black wins {} %',
  'analysis off': 'The analysis is off', mate: 'mate in {}', mated: 'mated in {}', 'engine failed': 'The connection to Chuhe was lost. Is it still running?',
  book: 'Opening book', table: 'Endgame tablebase', opening: 'Opening: {}', win: 'win in {} plies', loss: 'loss in {} plies', draw: 'draw', known: 'unknown',
  'win by rule': 'win by repetition rules', 'loss by rule': 'loss by repetition rules', 'weight': '{} %', knowledge: 'Book and tablebases', 'no knowledge': 'This position is in no book or tablebase.',
  // Play.
  play: 'Play against the engine', 'as red': 'Play red', 'as black': 'Play black', strength: 'Strength', full: 'Full strength', elo: '{} Elo',
  seconds: 'Seconds per move', minutes: 'Minutes (0: no clock)', increment: 'Seconds added', resign: 'Resign', 'offer draw': 'Offer a draw',
  'take back': 'Take back', 'end play': 'End the game', thinking: 'The engine is thinking…', 'your turn': 'Your turn', 'draw agreed': 'Draw by agreement',
  'too early': 'The engine declines: it is too early for a draw', better: 'The engine declines: its position is better', 'wins w': 'Red wins', 'wins b': 'Black wins',
  'result resigned': '{} resigns', 'result time': '{} has run out of time', 'result draw': 'Draw', Repetition: 'repetition', InsufficientMaterial: 'insufficient material', NoCapture: 'no-capture limit', 'by rule': 'by the rules ({})',
  clock: 'Clock of {}: {}', 'from book': 'Book move',
  // Review.
  review: 'Review', 'start review': 'Review the game', 'time per move': 'Seconds per move', progress: '{} of {} positions', accuracy: 'accuracy',
  side: 'Side', inaccuracy: 'inaccuracies', mistake: 'mistakes', blunder: 'blunders', 'nothing to review': 'There are no moves to review',
  graph: 'Red’s expected points by ply', points: 'Red can expect {} % of a point.', 'after ply': 'After ply {}: {}.', 'mistakes': 'Mistakes', reviewed: 'The game has been reviewed',
  // Library.
  library: 'Library', 'no token': '', move: 'Move', score: 'Score', note: 'Note', wins: 'Wins', queue: 'Request a search', 'play library': 'Play the library', unknown: 'The library does not know this position',
  'show unknown': '{} moves without a score', line: 'Line: {}', 'engine move': 'Move of the engine: {}', 'rate limit exceeded': 'Too many requests; wait a moment', tokenerror: 'Not allowed: enter a token below',
  queued: 'A search has been requested. The result will appear here.', filtered: 'The library does not store positions with so few pieces',
  'no game': 'The library does not store positions with so few pieces; the game ends', network: 'Network error: the server does not answer', retry: 'Try again',
  unavailable: 'The library cannot be read or written now (503)', nonsense: 'The server sent an invalid reply', 'waiting library': 'Waiting for the library…', idle: 'Waiting for the library… (no worker is running)',
  status: 'The server rejects the request ({})', other: 'Reply of the library: {}', token: 'Token', use: 'Use', 'token note': 'Kept only in this tab and sent to the server with each request.',
  'token form': 'A token consists of letters, digits and - . _ ~', 'no stats': 'Statistics not available: {}', stats: '{} positions · {} moves to score · {} positions to expand',
  workers: '{} workers · {} scores in the last minute · {} left', nobody: 'Nobody', 'library side': 'The library plays',
};

const ZH = {
  title: '楚河', 'title library': '楚河云库', 'title review': '楚河评棋', language: 'English', board: '棋盘',
  empty: '空', selected: '已选', target: '可走', red: '红', black: '黑', w: '红方', b: '黑方',
  'to move w': '红方走棋', 'to move b': '黑方走棋', check: '将军！', checkmate: '将死', stalemate: '困毙',
  moves: '着法', 'no moves': '尚无着法。点击或拖动棋子，或用 Tab 和方向键。',
  first: '开始 (Home)', back: '后退 (←)', next: '前进 (→)', last: '结束 (End)', flip: '翻转棋盘 (F)',
  'delete': '删除此后着法', promote: '设为主变', comment: '当前着法的注释', moved: '{} {}',
  'illegal empty': '此处没有棋子', 'illegal side': '轮到对方走棋', 'illegal own': '此处有己方棋子', 'illegal facing': '将帅不能照面',
  'illegal still check': '没有应将', 'illegal into check': '走后己方被将军', 'illegal leg': '蹩马腿', 'illegal knight': '马走日字',
  'illegal bishop': '相（象）走田字', 'illegal eye': '塞象眼', 'illegal river': '相（象）不能过河', 'illegal straight': '此子走直线', 'illegal blocked': '中间有棋子阻挡',
  'illegal screen': '炮吃子须隔一子', 'illegal pawn': '兵（卒）每次前进一步，过河后可横走', 'illegal advisor': '仕（士）在九宫内斜走一步', 'illegal king': '帅（将）在九宫内走一步',
  'engine turn': '轮到引擎走棋', 'game over': '对局已结束',
  settings: '设置', notation: '记谱', chinese: '炮二平五', wxf: 'WXF (C2=5)', coordinates: '坐标 (h2e2)', pieces: '棋子',
  traditional: '繁体', simplified: '简体', latin: '字母', game: '棋谱', 'new game': '新局', open: '打开文件',
  paste: '粘贴棋谱或局面', 'paste hint': 'FEN、PGN、着法、DhtmlXQ …', read: '读取', 'save pgn': '保存 PGN', 'save picture': '保存图片',
  'copy link': '复制链接', copied: '链接已复制', 'not copied': '浏览器不允许复制；链接在地址栏中',
  'drop hint': '也可以把文件拖到此处。文件不会离开本机。', games: '文件中的对局', untitled: '{} – {}', loaded: '已读取 {} 局',
  'too large': '文件大于 16 MB', 'invalid board': '局面不合法', 'invalid game': '网址中没有有效的对局',
  'part omitted': '有一部分无法读取：{}',
  edit: '摆棋', fen: 'FEN', set: '设置局面', clear: '清空', fill: '开局局面', done: '完成', cancel: '取消', remove: '擦除',
  hint: '选一枚棋子，再点棋盘放下或取走；不选则点两下移动棋子。', 'palette': '可摆的棋子',
  engine: '引擎', analyse: '分析', stop: '停止', lines: '变例数', threads: '线程', hash: '哈希表 (MB)', arrows: '箭头',
  speed: '深度 {} · 每秒 {} 节点 · {} 节点 · 哈希 {} %', 'table hits': ' · 残局库命中 {}', chances: '红胜 {} %，和 {} %，黑胜 {} %',
  'analysis off': '未在分析', mate: '{} 步杀', mated: '{} 步被杀', 'engine failed': '与楚河的连接中断。程序还在运行吗？',
  book: '开局库', table: '残局库', opening: '开局：{}', win: '{} 步胜', loss: '{} 步负', draw: '和', known: '未知',
  'win by rule': '按棋规胜', 'loss by rule': '按棋规负', 'weight': '{} %', knowledge: '开局库与残局库', 'no knowledge': '开局库和残局库中都没有这个局面。',
  play: '与引擎对弈', 'as red': '执红', 'as black': '执黑', strength: '棋力', full: '最强', elo: '等级分 {}',
  seconds: '每步秒数', minutes: '每方分钟（0 为不计时）', increment: '每步加秒', resign: '认输', 'offer draw': '提和',
  'take back': '悔棋', 'end play': '结束对局', thinking: '引擎思考中…', 'your turn': '轮到你走', 'draw agreed': '双方议和',
  'too early': '引擎不同意：现在议和太早', better: '引擎不同意：引擎局面占优', 'wins w': '红胜', 'wins b': '黑胜',
  'result resigned': '{}认输', 'result time': '{}超时', 'result draw': '和棋', Repetition: '循环反复', InsufficientMaterial: '双方均无进攻子力', NoCapture: '自然限着', 'by rule': '按棋规（{}）',
  clock: '{}时间：{}', 'from book': '开局库着法',
  review: '评棋', 'start review': '评判本局', 'time per move': '每步秒数', progress: '已完成 {} / {} 个局面', accuracy: '准确率',
  side: '方', inaccuracy: '缓着', mistake: '失着', blunder: '败着', 'nothing to review': '没有可评判的着法',
  graph: '红方期望得分曲线', points: '红方期望得分 {} %。', 'after ply': '第 {} 步后：{}。', 'mistakes': '失误', reviewed: '评判完成',
  library: '云库', 'no token': '', move: '着法', score: '分数', note: '备注', wins: '胜率', queue: '提交计算', 'play library': '与云库对弈', unknown: '云库中没有这个局面',
  'show unknown': '{} 个着法没有分数', line: '主变：{}', 'engine move': '引擎着法：{}', 'rate limit exceeded': '查询过于频繁，请稍候', tokenerror: '没有权限：请在下方输入令牌',
  queued: '已提交计算，结果将显示在此处。', filtered: '子力太少，云库不保存这样的局面',
  'no game': '子力太少，云库不保存这样的局面，对弈结束', network: '网络错误：服务器没有回应', retry: '重试',
  unavailable: '云库暂时无法读写 (503)', nonsense: '服务器的回答无法识别', 'waiting library': '等待云库…', idle: '等待云库…（目前没有计算程序在工作）',
  status: '服务器拒绝请求 ({})', other: '云库的回答：{}', token: '令牌', use: '使用', 'token note': '只保存在这个标签页中，随请求发送给服务器。',
  'token form': '令牌只能由字母、数字和 - . _ ~ 组成', 'no stats': '状态不可用：{}', stats: '局面 {} · 待评分 {} · 待筛选 {}',
  workers: '计算程序 {} · 上一分钟评分 {} · 剩余时间 {}', nobody: '不走', 'library side': '云库执',
};

const TEXTS = { en: EN, zh: ZH };

export const GLYPHS = {
  traditional: { K: '帥', A: '仕', B: '相', N: '傌', R: '俥', C: '炮', P: '兵', k: '將', a: '士', b: '象', n: '馬', r: '車', c: '砲', p: '卒' },
  simplified: { K: '帅', A: '仕', B: '相', N: '傌', R: '俥', C: '炮', P: '兵', k: '将', a: '士', b: '象', n: '马', r: '车', c: '砲', p: '卒' },
  latin: { K: 'K', A: 'A', B: 'B', N: 'N', R: 'R', C: 'C', P: 'P', k: 'k', a: 'a', b: 'b', n: 'n', r: 'r', c: 'c', p: 'p' },
};
const ENGLISH_NAMES = { k: 'king', a: 'advisor', b: 'bishop', n: 'knight', r: 'rook', c: 'cannon', p: 'pawn' };

export let language = (navigator.language || 'zh').startsWith('zh') ? 'zh' : 'en';

// The text of a key, with each {} replaced by the next value.
export function t(key, ...values) {
  const text = TEXTS[language][key];
  let index = 0;
  return text === undefined ? key : text.replaceAll('{}', () => String(values[index++]));
}

export const hasText = (key) => Object.hasOwn(EN, key);

// The name of a piece with its color.
export function pieceName(piece) {
  const isRed = piece < 'a';
  if (language === 'zh') return (isRed ? '红' : '黑') + GLYPHS.simplified[piece];
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
}

export const mistakeMarks = { 1: '!', 2: '?', 3: '!!', 4: '??', 5: '!?', 6: '?!' };
