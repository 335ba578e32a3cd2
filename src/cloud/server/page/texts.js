'use strict';

// The texts of the page in both languages.
const TEXTS = {
  zh: {
    title: '楚河云库', back: '后退', forward: '前进', restart: '开局', flip: '翻转', queue: '提交计算', edit: '摆棋',
    play: '与云库对弈', set: '设置局面', move: '着法', score: '分数', note: '备注', wins: '胜率', line: '主变: ', engine: '引擎着法: ',
    'invalid board': '局面不合法', unknown: '云库中没有这个局面', checkmate: '将死', stalemate: '困毙',
    'rate limit exceeded': '查询过于频繁，请稍候', tokenerror: '没有权限：请在下方输入令牌', queued: '已提交计算',
    filtered: '子力太少，云库不保存这样的局面', 'no game': '子力太少，云库不保存这样的局面，对弈结束', network: '网络错误：服务器没有回应',
    unavailable: '云库暂时无法读写 (503)', nonsense: '服务器的回答无法识别', thinking: '等待云库…',
    idle: '等待云库…（目前没有计算程序在工作）', language: 'English', river: ['楚', '河', '汉', '界'],
    status: (code) => `服务器拒绝请求 (${code})`, other: (words) => `云库的回答：${words}`,
    remove: '擦除', clear: '清空', fill: '开局局面', done: '完成', cancel: '取消', w: '红先', b: '黑先',
    hint: '选一枚棋子，再点棋盘放下或取走；不选则点两下移动棋子。', token: '令牌', use: '使用',
    'token note': '只保存在这个标签页中，随请求发送给服务器。', 'token form': '令牌只能由字母、数字和 - . _ ~ 组成',
    red: (name) => `红${name}`, black: (name) => `黑${name}`, 'no stats': (why) => `状态不可用：${why}`,
    stats: (s) => `局面 ${s.positions} · 待评分 ${s.waiting_to_be_scored} · 待筛选 ${s.waiting_to_be_sieved}`,
    workers: (s, left) => `计算程序 ${s.workers} · 上一分钟评分 ${s.scored_last_minute} · 剩余时间 ${left}`,
  },
  en: {
    title: 'Chuhe cloud library', back: 'Back', forward: 'Forward', restart: 'Start', flip: 'Flip', queue: 'Queue',
    edit: 'Set up', play: 'Play the library', set: 'Set', move: 'Move', score: 'Score', note: 'Note', wins: 'Wins',
    line: 'Line: ', engine: 'Move of the engine: ', 'invalid board': 'This is not a legal position', unknown: 'The library does not know this position',
    checkmate: 'Checkmate', stalemate: 'Stalemate', 'rate limit exceeded': 'Too many requests; wait a moment',
    tokenerror: 'Not allowed: enter a token below', queued: 'Search requested',
    filtered: 'The library does not store positions with so few pieces',
    'no game': 'The library does not store positions with so few pieces; the game ends', network: 'Network error: the server does not answer',
    unavailable: 'The library cannot be read or written now (503)', nonsense: 'The server sent an invalid reply',
    thinking: 'Waiting for the library…', idle: 'Waiting for the library… (no worker is running)', language: '中文',
    river: ['楚', '河', '汉', '界'], status: (code) => `The server rejects the request (${code})`,
    other: (words) => `Reply of the library: ${words}`, remove: 'Remove', clear: 'Clear', fill: 'Starting position',
    done: 'Done', cancel: 'Cancel', w: 'Red to move', b: 'Black to move',
    hint: 'Choose a piece and click the board to place or remove it; without a choice, two clicks move a piece.',
    token: 'Token', use: 'Use', 'token note': 'Kept only in this tab and sent to the server with each request.',
    'token form': 'A token consists of letters, digits and - . _ ~',
    red: (name) => `red ${name}`, black: (name) => `black ${name}`, 'no stats': (why) => `Statistics not available: ${why}`,
    stats: (s) => `${s.positions} positions · ${s.waiting_to_be_scored} moves to score · ${s.waiting_to_be_sieved} positions to expand`,
    workers: (s, left) => `${s.workers} workers · ${s.scored_last_minute} scores in the last minute · ${left} left`,
  },
};
const PIECES = {
  K: '帅', A: '仕', B: '相', N: '马', R: '车', C: '炮', P: '兵',
  k: '将', a: '士', b: '象', n: '马', r: '车', c: '炮', p: '卒',
};
const ENGLISH_NAMES = { k: 'king', a: 'advisor', b: 'bishop', n: 'knight', r: 'rook', c: 'cannon', p: 'pawn' };

let language = (navigator.language || 'zh').startsWith('zh') ? 'zh' : 'en';

const text = (key) => TEXTS[language][key];

// The name of a piece, with its color.
function pieceName(piece) {
  const name = language === 'zh' ? PIECES[piece] : ENGLISH_NAMES[piece.toLowerCase()];
  return text(piece < 'a' ? 'red' : 'black')(name);
}
