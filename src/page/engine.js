// The engine: analysis, play and review, for `chuhe board` and for some users of `chuhe serve`.
import { otherSide } from './rules.js';
import { copyPath, decodeGame, encodeGame, movesOf, pathTo, lineAfter } from './game.js';
import { element, t, tryStorage } from './texts.js';
import { view, drawBoard, keepFocus } from './board.js';
import { app, openGame, show, say, end, side, playMove, moveButton, lineText, redraw, removeAccuracy, writeAddress } from './study.js';
import { copyReview } from './review.js';
import { endByRules } from './knowledge.js';
import { currentQuery, positionQuery, request, stream } from './server.js';

const LEVELS = [500, 700, 900, 1100, 1300, 1500, 1700, 1900, 2100, 2300, 2500, 2800];

const engineOptions = () => ({ threads: element('threads').value, hash: element('hash').value });

// Ends the stream of the analysis; null without one.
let analysis = null;
let isAnalyzing = false;
// Ends the stream of the review; null without one. An analysis waits for its end.
let reviewing = null;
// The `AbortController` of the request for a move, or for the reply to a draw offer, in the game against the engine;
// null without one. The engine searches one position at a time, so nothing else may use it until the reply.
let turn = null;

// A score in minor pieces or the moves to mate, for red.
function scoreText({ score, mate, bound }) {
  const sign = side() === 'w' ? 1 : -1;
  if (mate !== null) return `${mate * sign > 0 ? '#' : '#-'}${Math.ceil(Math.abs(mate) / 2)}`;
  const value = (sign * score) / 100;
  return `${bound ? '~' : ''}${value > 0 ? '+' : ''}${value.toFixed(2)}`;
}

function showChances(wdl) {
  const [red, draw, black] = (side() === 'w' ? wdl : [...wdl].reverse()).map((n) => n / 10);
  for (const [id, value] of [['chance-red', red], ['chance-draw', draw], ['chance-black', black]]) {
    element(id).style.width = `${value}%`;
    element(id).textContent = value >= 12 ? `${Math.round(value)} %` : '';
  }
  element('chances').setAttribute('aria-label', t('chances', red, draw, black));
  element('chances').hidden = false;
}

function showLines({ depth, nodes, nps, hashfull, tablebase, lines }) {
  const { position } = app.game.node;
  const number = (n) => n.toLocaleString('en');
  const hits = tablebase ? t('tablebase hits', number(tablebase)) : '';
  element('speed').textContent = t('speed', depth, number(nps), number(nodes), Math.round(hashfull / 10)) + hits;
  const rows = lines.map((line) => {
    const row = document.createElement('li');
    const score = document.createElement('span');
    const words = lineText(position, line.pv.slice(0, 14));
    score.className = 'score';
    score.textContent = scoreText(line);
    row.append(score, moveButton(line.pv[0]), ` ${words.slice(1).join(' ')}`);
    return row;
  });
  // A button keeps the focus when the lines are replaced.
  const focused = [...element('engine-lines').querySelectorAll('button')].indexOf(document.activeElement);
  element('engine-lines').replaceChildren(...rows);
  if (focused >= 0) element('engine-lines').querySelectorAll('button')[focused]?.focus();
  if (lines.length) showChances(lines[0].wdl);
  const arrows = element('arrows').checked ? lines.map((line) => line.pv[0]) : [];
  if (arrows.join() !== view.arrows.join() && !view.onSquare) {
    view.arrows = arrows;
    drawBoard();
  }
}

function stopAnalysis() {
  if (analysis) analysis();
  analysis = null;
}

function drawAnalyseButton() {
  element('analyse').setAttribute('aria-pressed', String(isAnalyzing));
  element('analyse').textContent = t(isAnalyzing ? 'stop' : 'analyse');
}

// Why an analysis waits: the key of a text, or empty.
const waitsFor = () => (turn ? 'thinking' : reviewing ? 'review running' : '');

// Shows whether there is an analysis and why it waits, in place of its speed.
function drawState() {
  const key = isAnalyzing ? waitsFor() : 'analysis off';
  element('speed').textContent = key && t(key);
}

function startAnalysis() {
  stopAnalysis();
  drawAnalyseButton();
  element('engine-lines').replaceChildren();
  drawState();
  element('chances').hidden = true;
  if (!isAnalyzing && view.arrows.length) {
    view.arrows = [];
    drawBoard();
  }
  if (!isAnalyzing || waitsFor() || !app.legal.length) return;
  const query = currentQuery({ lines: element('lines').value, ...engineOptions() });
  analysis = stream(`api/analyse?${query}`, {
    lines: showLines,
    done: ({ stopped, expired }) => {
      // Another tab has started a search.
      if (stopped) setAnalyzing(false);
      // The server limits the time of an analysis. The lines stay.
      isAnalyzing &&= !expired;
      drawAnalyseButton();
    },
    failed: ({ error }) => {
      setAnalyzing(false);
      say(error);
    },
  });
}

function setAnalyzing(isOn) {
  isAnalyzing = isOn;
  startAnalysis();
}

// The game against the engine, or null: the side of the engine, the node of the last move, and the clocks in
// milliseconds. `begin` is the number of plies before its first move. `isNew` is true after a start or a take-back:
// `followMatch` then sets the last move to the current one on the board.
let match = null;

const isPlaying = () => match !== null && !match.isOver;
const isEnginesTurn = () => isPlaying() && match.node.position.side === match.engine;

function clockText(milliseconds) {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

function drawClocks() {
  const near = view.flipped ? 'b' : 'w';
  for (const [id, player] of [['clock-near', near], ['clock-far', otherSide(near)]]) {
    const clock = element(id);
    clock.hidden = !match || !match.clock;
    if (clock.hidden) continue;
    clock.textContent = `${t(player)} ${clockText(match.clock[player])}`;
    clock.classList.toggle('running', !match.isOver && !match.isStuck && match.node.position.side === player);
  }
}

function tickClock() {
  if (!isPlaying() || !match.clock || match.isStuck) return;
  const now = performance.now();
  const loser = match.node.position.side;
  match.clock[loser] -= now - match.ticked;
  match.ticked = now;
  if (match.clock[loser] <= 0) {
    end(() => `${t('result time', t(loser))} · ${t(`wins ${otherSide(loser)}`)}`);
    finishPlay(loser);
  }
  drawClocks();
}

// The key in the session storage under which a game against the engine is kept for a reload, and the input fields
// that are kept with it.
const KEPT = 'match';
const KEPT_FIELDS = ['strength', 'move-time', 'minutes', 'increment', 'threads', 'hash'];

const textOfGame = () => encodeGame(app.game).replace(/@\d+/, '');

function keepMatch() {
  if (!match) return;
  if (match.isOver) { tryStorage(() => sessionStorage.removeItem(KEPT)); return; }
  const { engine, begin, clock, increment, node } = match;
  const fields = KEPT_FIELDS.map((id) => [id, element(id).value]);
  const kept = { engine, begin, clock, increment, moves: movesOf(pathTo(node)), flipped: view.flipped, fields, game: textOfGame() };
  tryStorage(() => sessionStorage.setItem(KEPT, JSON.stringify(kept)));
}

// Continues the game against the engine that a reload has interrupted. The clocks did not run while the page was
// closed.
export function resumePlay() {
  // Without the engine, the game is kept for the next reload.
  if (element('play-panel').hidden) return;
  const kept = tryStorage(() => JSON.parse(sessionStorage.getItem(KEPT)));
  tryStorage(() => sessionStorage.removeItem(KEPT));
  if (!kept || kept.game !== textOfGame()) return;
  let node = app.game.root;
  for (const move of kept.moves.split(',').filter(Boolean)) node = node?.children.find((child) => child.move === move);
  if (!node) return;
  for (const [id, value] of kept.fields) element(id).value = value;
  drawLevels();
  const { engine, begin, clock, increment } = kept;
  match = { engine, begin, clock, increment, game: app.game, node, isNew: false, isOver: false, ticked: performance.now() };
  node.clock = clock && { ...clock };
  showPlayButtons();
  view.flipped = kept.flipped;
  redraw();
  drawClocks();
  keepMatch();
  if (isEnginesTurn()) playEngine();
  else say(t('game resumed'));
}

// Whether a take-back can continue a game that has ended: the user has moved, and no time has run out.
function canContinue() {
  if (!match?.hasResult || app.game !== match.game || !isInGame(match.node)) return false;
  const hasMoved = pathTo(match.node).some((node) => node.parent.position.side !== match.engine);
  return hasMoved && (!match.clock || Math.min(match.clock.w, match.clock.b) > 0);
}

function showPlayButtons() {
  keepFocus(() => {
    element('play-running').hidden = !isPlaying() && !canContinue();
    for (const id of ['offer-draw', 'resign', 'end-play']) element(id).hidden = !isPlaying();
    element('ask-again').hidden = !isPlaying() || !match.isStuck;
    element('play-start').hidden = isPlaying();
  });
}

// Ends the game against the engine; `loser` is null for a draw and undefined for a game without a result.
function finishPlay(loser) {
  if (!isPlaying()) return;
  match.isOver = true;
  match.hasResult = loser !== undefined;
  if (turn) {
    endTurn();
    startAnalysis();
  }
  const results = { w: '0-1', b: '1-0' };
  if (loser !== undefined) {
    app.game.tags.Result = loser ? results[loser] : '1/2-1/2';
    writeAddress();
  }
  showPlayButtons();
  keepMatch();
  drawClocks();
  redraw();
}

// The parameters of a request for a move: the strength or the time per move, the clocks, and the engine options.
function moveOptions() {
  const elo = element('strength').value;
  const { clock, increment } = match;
  const left = clock && { red: Math.max(0, Math.round(clock.w)), black: Math.max(0, Math.round(clock.b)), increment };
  return { ...(elo ? { elo } : { time: element('move-time').value }), ...left, ...engineOptions() };
}

// Stops the clocks after a failed request for a move of the engine, or starts them again.
function setStuck(isStuck) {
  match.isStuck = isStuck;
  match.ticked = performance.now();
  keepFocus(() => { element('ask-again').hidden = !isStuck; });
  drawClocks();
}

function endTurn() {
  if (turn) turn.abort();
  turn = null;
}

// Asks the engine about the last position of the game. Returns null if the game ends or has a new position before the
// reply.
async function askEngine(action, options) {
  endTurn();
  stopAnalysis();
  const own = turn = new AbortController();
  try {
    const query = positionQuery(pathTo(match.node), options);
    const reply = await request(`api/${action}?${query}`, { signal: own.signal });
    return turn === own ? reply : null;
  } catch (error) {
    if (turn === own) throw error;
    return null;
  } finally {
    if (turn === own) turn = null;
  }
}

async function playEngine() {
  setStuck(false);
  say(t('thinking'));
  const clock = match.clock && { ...match.clock };
  try {
    const reply = await askEngine('move', moveOptions());
    if (!reply) return;
    app.game.node = match.node;
    if (reply.move) playMove(reply.move);
    else show();
    if (reply.end && isPlaying()) endByRules(reply.end);
  } catch (error) {
    // The game is kept. The button `ask-again` and a reload request the move again. The time of the failed request does
    // not count.
    match.clock = clock;
    setStuck(true);
    startAnalysis();
    say(t('engine failed', error.message));
  }
}

// The hint that the current position is in a variation, which the game against the engine does not follow.
function variationHint() {
  const { node } = app.game;
  const isContinued = !isPlaying() || match.isNew || !node.parent || node.parent === match.node;
  return isContinued || pathTo(match.node).includes(node) ? '' : t('variation in game');
}

const isInGame = (node) => pathTo(node).every((own) => own.parent.children.includes(own));

// Follows the game on the board: a new move after the last one continues the game against the engine. Another game, or
// the deletion of the last move, ends it.
function followMatch() {
  if (!isPlaying()) {
    if (match) showPlayButtons();
    return;
  }
  const { game } = app;
  const { node } = game;
  if (game !== match.game || (!match.isNew && !isInGame(match.node))) { finishPlay(); return; }
  if (node.parent !== match.node && !match.isNew) return;
  if (!match.isNew) {
    tickClock();
    if (!isPlaying()) return;
    if (match.clock) match.clock[match.node.position.side] += match.increment;
  }
  endTurn();
  match.isNew = false;
  match.node = node;
  node.clock = match.clock && { ...match.clock };
  setStuck(false);
  keepMatch();
  if (!app.legal.length) finishPlay(side());
  else if (isEnginesTurn()) playEngine();
}

// Whether the numbers in these input fields are in their ranges. Shows an error at the first that is not.
function areInRange(ids) {
  const isWrong = ({ validity: { badInput, rangeOverflow, rangeUnderflow } }) => badInput || rangeOverflow || rangeUnderflow;
  const wrong = ids.map(element).find((field) => field.getClientRects().length && isWrong(field));
  wrong?.reportValidity();
  return !wrong;
}

// The node at which a new game starts: that on the board, or if the game is over there, that at which it started.
function startNode() {
  const { root, node } = app.game;
  const isOwn = node === match?.node;
  if (!app.isOver && !(isOwn && match.hasResult)) return node;
  return (isOwn && pathTo(node)[match.begin - 1]) || root;
}

// Starts a game. It is a new game with the moves up to the start, so that the game on the board keeps its players,
// result and moves.
function startPlay(engine) {
  const start = startNode();
  if (app.isOver && start === app.game.node) { say(t('game over')); return; }
  if (reviewing) { say(t('review running')); return; }
  if (!areInRange(['move-time', 'minutes', 'increment'])) return;
  setAnalyzing(false);
  const minutes = Number(element('minutes').value) || 0;
  const game = copyPath(app.game.start, start);
  [game.tags.Red, game.tags.Black] = engine === 'w' ? ['Chuhe', '?'] : ['?', 'Chuhe'];
  match = {
    engine, game, node: game.node, begin: pathTo(game.node).length, isNew: true, isOver: false, ticked: performance.now(),
    increment: Math.round(1000 * element('increment').value),
    clock: minutes > 0 ? { w: 60000 * minutes, b: 60000 * minutes } : null,
  };
  showPlayButtons();
  view.flipped = engine === 'w';
  openGame(game);
  // On a phone the form is far below the board.
  element('frame').scrollIntoView({ block: 'nearest' });
}

// Takes back the last move of the user, and the reply of the engine. A game that has ended continues.
function takeBack() {
  const path = pathTo(match.node);
  const last = path.findLast((node) => node.parent.position.side !== match.engine);
  if (!last) return;
  if (match.isOver) {
    setAnalyzing(false);
    Object.assign(match, { isOver: false, hasResult: false, ticked: performance.now() });
    delete app.game.tags.Result;
    showPlayButtons();
  }
  last.parent.children.splice(last.parent.children.indexOf(last), 1);
  removeAccuracy();
  match.begin = Math.min(match.begin, pathTo(last.parent).length);
  match.isNew = true;
  // A reload forgets the clocks of earlier positions.
  if (last.parent.clock) match.clock = { ...last.parent.clock };
  app.game.node = last.parent;
  show({ isNew: true });
}

// A game against the engine ends by Back, by the deletion of its moves or by opening another game only if the action is
// repeated within this time, in milliseconds.
const LEAVE_TIME = 5000;
let askedToLeave = -LEAVE_TIME;

function mayLeave(deleted = null) {
  const now = performance.now();
  if (!isPlaying() || now - askedToLeave < LEAVE_TIME) return true;
  if (deleted && !pathTo(match.node).includes(deleted)) return true;
  askedToLeave = now;
  say(t('leave game'));
  return false;
}

async function offerDraw() {
  if (isEnginesTurn()) { say(t('engine turn')); return; }
  try {
    const reply = await askEngine('draw', engineOptions());
    if (!reply) return;
    if (reply.answer === 'accepted') {
      end(() => t('draw agreed'));
      finishPlay(null);
    } else say(t(reply.answer));
  } catch (error) {
    say(error.message);
  }
  startAnalysis();
}

// The levels from weak to strong. Only full strength without clocks needs a time per move, and only clocks have an
// increment.
function drawLevels() {
  const [{ options, value }, isNew] = [element('strength'), !element('strength').options.length];
  if (isNew) element('strength').append(...LEVELS.map((elo) => new Option('', elo)), new Option('', ''));
  LEVELS.forEach((elo, n) => { options[n].textContent = t('level', n + 1, elo); });
  options[LEVELS.length].textContent = t('full');
  element('strength').value = isNew ? '1500' : value;
  const hasClock = element('minutes').value > 0;
  element('move-time-field').hidden = element('strength').value !== '' || hasClock;
  element('increment-field').hidden = !hasClock;
}

function buildPlay() {
  drawLevels();
  for (const id of ['strength', 'minutes']) element(id).addEventListener('input', drawLevels);
  element('play-red').addEventListener('click', () => startPlay('b'));
  element('play-black').addEventListener('click', () => startPlay('w'));
  element('take-back').addEventListener('click', takeBack);
  element('offer-draw').addEventListener('click', offerDraw);
  element('end-play').addEventListener('click', () => { finishPlay(); say(t('game over')); });
  element('resign').addEventListener('click', () => {
    const loser = otherSide(match.engine);
    end(() => `${t('result resigned', t(loser))} · ${t(`wins ${otherSide(loser)}`)}`);
    finishPlay(loser);
  });
  element('ask-again').addEventListener('click', playEngine);
  app.mayLeave = mayLeave;
  app.hint = variationHint;
  app.refusal = () => (isEnginesTurn() && app.game.node === match.node ? 'engine turn' : null);
  setInterval(tickClock, 200);
  addEventListener('pagehide', () => {
    tickClock();
    keepMatch();
  });
}

function endReview() {
  if (reviewing) reviewing();
  reviewing = null;
  element('review').textContent = t('start review');
  element('review-progress').hidden = true;
  element('review-count').textContent = '';
}

function startReview() {
  if (reviewing) {
    endReview();
    startAnalysis();
    return;
  }
  if (turn) { say(t('engine turn')); return; }
  if (!areInRange(['review-time'])) return;
  const line = lineAfter(app.game.root);
  if (!line.length) { say(t('nothing to review')); return; }
  setAnalyzing(false);
  element('review').textContent = t('cancel');
  element('review-progress').hidden = false;
  const showProgress = ({ count, total }) => {
    element('review-progress').value = count / total;
    element('review-count').textContent = t('progress', count, total);
  };
  showProgress({ count: 0, total: line.length + 1 });
  const game = app.game;
  const query = positionQuery(line, { time: element('review-time').value, ...engineOptions() });
  reviewing = stream(`api/review?${query}`, {
    progress: showProgress,
    done: ({ text, interrupted }) => {
      endReview();
      // Another tab has started a search, which an analysis would end.
      if (interrupted) setAnalyzing(false);
      if (app.game !== game) {
        startAnalysis();
        return;
      }
      copyReview(decodeGame(text));
      show({ isNew: true });
      say(t(interrupted ? 'review interrupted' : 'reviewed'));
    },
    failed: ({ error }) => {
      endReview();
      startAnalysis();
      say(error);
    },
  });
}

function drawEngineTexts() {
  drawAnalyseButton();
  element('review').textContent = t(reviewing ? 'cancel' : 'start review');
  drawLevels();
  if (!isAnalyzing || waitsFor()) drawState();
}

// Shows the panels of the engine if the user may use it. Returns the state of the server.
export async function connectEngine() {
  const state = await request('api/state').catch((error) => {
    say(error.message);
    return { may_search: false, books: '', games: [] };
  });
  const isHidden = !state.may_search;
  for (const id of ['engine-panel', 'play-panel', 'review-panel', 'review-form']) element(id).hidden = isHidden;
  for (const node of document.querySelectorAll('.engine-setting')) node.hidden = isHidden;
  if (isHidden) setAnalyzing(false);
  else {
    Object.assign(element('threads'), { max: state.max_threads, value: state.threads });
    Object.assign(element('hash'), { max: state.max_hash, value: state.hash });
  }
  return state;
}

export function buildEngine() {
  for (let n = 1; n <= 5; n++) element('lines').append(new Option(n, n));
  element('lines').value = '3';
  element('analyse').addEventListener('click', () => setAnalyzing(!isAnalyzing));
  for (const id of ['lines', 'threads', 'hash']) {
    element(id).addEventListener('change', () => isAnalyzing && startAnalysis());
  }
  element('arrows').addEventListener('change', () => {
    view.arrows = [];
    drawBoard();
  });
  element('review').addEventListener('click', startReview);
  buildPlay();
  app.onEnd = (loser) => { if (match && app.game.node === match.node) finishPlay(loser); };
  // `followMatch` is first, so that no analysis starts when it is the engine's turn.
  app.listeners.push(followMatch, startAnalysis, drawClocks);
  app.onLanguage.push(drawEngineTexts, drawClocks);
  drawEngineTexts();
  return connectEngine();
}
