// The page in a browser: `chuhe board`, `chuhe serve` and `chuhe review --html`.
import assert from 'node:assert/strict';
import { spawn, spawnSync, execFileSync } from 'node:child_process';
import { createServer, request as forward } from 'node:http';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { chromium } from 'playwright-core';

const { PROGRAM, CHROMIUM, PAGE_DIR, SCREENSHOTS } = process.env;
const AXE = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');
const FLAGS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync',
];
const GAME = `[Red "A <b> & c"]
[Black "象棋"]
[Result "1-0"]

{Before} 1. 炮二平五 马8进7 {known} (1... 炮8平5 2. 马二进三 (2. 马八进七)) 2. 马二进三 车9平8 3. 车一平二 1-0
`;
// A position in the built-in tablebases.
const ENDING = '3k5/9/9/9/9/9/9/9/4R4/4K4 w';
const START = 'rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w';
// Black has no legal move after b1b8.
const STALEMATE = '3k5/9/9/9/9/9/9/R8/1R7/4K4 w';

const directory = mkdtempSync(join(tmpdir(), 'chuhe-'));
const children = [];
// Errors and warnings of the pages. No test causes one.
const problems = [];

// Starts a server and returns the address that it prints.
function start(...args) {
  const child = spawn(PROGRAM, args, { cwd: directory, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  return new Promise((resolve, reject) => {
    child.on('exit', (code) => reject(new Error(`${args} exits with ${code}`)));
    child.stdout.on('data', (data) => {
      const address = /http:[^\s)]+/.exec(String(data));
      if (address) resolve(address[0]);
    });
  });
}

const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });

async function open(url, options = {}) {
  const context = await (options.browser || browser).newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US', ...options });
  context.setDefaultTimeout(60000);
  const page = await context.newPage();
  page.on('console', (message) => {
    // The browser itself reports a rejected request, such as one with an invalid FEN.
    if (message.text().includes('status of 400')) return;
    if (['error', 'warning'].includes(message.type())) problems.push(`${url}: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`${url}: ${error.stack}`));
  if (PAGE_DIR) {
    await page.route(/\/[a-z]+\.(js|css)$/, (route) => {
      const name = new URL(route.request().url()).pathname.split('/').pop();
      route.fulfill({ path: join(PAGE_DIR, name) });
    });
    await page.route((address) => address.pathname.endsWith('/'), async (route) => {
      const response = await route.fetch();
      const [, data] = /<script id="data"[^>]*>(.*)<\/script>/.exec(await response.text());
      const body = readFileSync(join(PAGE_DIR, 'index.html'), 'utf8').replace('{{data}}', () => data);
      await route.fulfill({ response, body });
    });
  }
  await page.goto(url);
  await page.waitForSelector('body[data-ready]');
  return page;
}

const square = (page, name) => page.locator(`#squares [data-name=${name}]`);
const pieceAt = (page, name) => page.locator(`#board [data-square=${name}]`).count();
const moveCount = (page) => page.locator('#moves button').count();
// Waits until there are at least `count` moves, and exactly `count` moves.
const waitForMoves = (page, count) => page.waitForFunction((n) => document.querySelectorAll('#moves button').length >= n, count);
const waitForExactly = (page, count) => page.waitForFunction((n) => document.querySelectorAll('#moves button').length === n, count);
// The centers of squares.
const centers = async (page, ...names) => {
  const boxes = await Promise.all(names.map((name) => square(page, name).boundingBox()));
  return boxes.map((box) => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 }));
};
const status = (page) => page.locator('#status').textContent();

async function waitForStatus(page, text) {
  await page.waitForFunction((part) => document.querySelector('#status').textContent.includes(part), text);
}

async function checkAccessibility(page, name) {
  // The content security policy does not restrict scripts of the debugger.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] }));
  const found = violations.map((violation) => `${violation.id}: ${violation.nodes.map((node) => node.target).join(' ')}`);
  assert.deepEqual(found, [], name);
  const fitsWindow = await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
  assert(fitsWindow, `${name}: the page is wider than the window`);
  if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
}

async function playsByMouse(url) {
  const page = await open(url);
  await page.click('#play-panel summary');
  await page.selectOption('#strength', '500');
  // A number out of range does not start a game.
  await page.fill('#minutes', '1000000000');
  await page.click('#play-red');
  assert.equal(await page.locator('#resign').isVisible(), false);
  await page.fill('#minutes', '5');
  await page.click('#play-red');
  // A click on the piece and one on the target.
  await square(page, 'h2').click();
  assert.equal(await page.locator('#board .target').count(), 12);
  await square(page, 'e2').click();
  await waitForMoves(page, 2);
  assert.equal(await pieceAt(page, 'h2'), 0);
  // A drag.
  const [from, to] = await centers(page, 'b0', 'c2');
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 5 });
  await page.mouse.up();
  await waitForMoves(page, 4);
  assert.match(await page.locator('#clock-near').textContent(), /^Red [45]:\d\d$/);
  // The right button draws an arrow and removes it.
  for (const count of [1, 0]) {
    await square(page, 'a0').hover();
    await page.mouse.down({ button: 'right' });
    await square(page, 'a4').hover();
    await page.mouse.up({ button: 'right' });
    assert.equal(await page.locator('#board [data-move=a0a4]').count(), count);
  }
  await resumesMatch(page);
  await square(page, 'e0').click();
  await square(page, 'e5').click();
  await waitForStatus(page, 'A king moves one step within the palace');
  await page.click('#offer-draw');
  await waitForStatus(page, 'too early');
  await page.click('#take-back');
  await waitForExactly(page, 2);
  await page.click('#resign');
  await waitForStatus(page, 'Red resigns');
  // A take-back continues a game that has ended.
  assert.equal(await page.locator('#offer-draw').isVisible(), false);
  await page.click('#take-back');
  await page.waitForFunction(() => !document.querySelectorAll('#moves button').length && !location.hash.includes('Result'));
  await square(page, 'h2').click();
  await square(page, 'e2').click();
  await waitForMoves(page, 2);
  await page.click('#resign');
  await waitForStatus(page, 'Red resigns');
  // A reload does not resume a game that has ended, and keeps its result.
  await page.waitForFunction(() => location.hash.includes('Result=0-1'));
  await page.reload();
  await page.waitForSelector('body[data-ready]');
  assert.match(await page.locator('#game-title').textContent(), /^\? – Chuhe  0-1/);
  assert.equal(await page.locator('#resign').isVisible(), false);
  // Red has no cannons, so the position is in no book.
  await page.goto(`${url}#rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/9/9/RNBAKABNR_w`);
  await waitForExactly(page, 0);
  await page.click('#play-panel summary');
  await page.selectOption('#strength', '');
  await page.fill('#minutes', '0');
  // Long enough to reload the page while the engine thinks.
  await page.fill('#move-time', '10');
  await page.click('#play-black');
  await waitForStatus(page, 'thinking');
  assert.equal(await moveCount(page), 0);
  await page.reload();
  await waitForMoves(page, 1);
  assert.equal(await page.locator('#move-time').inputValue(), '10');
  const [red, black] = await centers(page, 'e0', 'e9');
  assert(red.y < black.y, 'Black is below');
  await page.context().close();
}

// Back asks before it leaves a game against the engine. If the engine returns no move, the clocks stop.
async function asksBeforeLeavingMatch(url) {
  const page = await open(url);
  await page.click('#play-panel summary');
  await page.selectOption('#strength', '500');
  await page.fill('#minutes', '5');
  await page.fill('#increment', '0.5');
  await page.click('#play-red');
  await page.route('**/api/move*', (route) => {
    assert.match(route.request().url(), /increment=500&/);
    return route.fulfill({ status: 400, json: { error: 'no engine' } });
  });
  await square(page, 'h2').click();
  await square(page, 'e2').click();
  await waitForStatus(page, 'are stopped: no engine');
  const clock = await page.locator('#clock-far').textContent();
  await page.waitForTimeout(1500);
  assert.equal(await page.locator('#clock-far').textContent(), clock);
  assert.equal(await page.locator('.clock.running').count(), 0);
  await page.unroute('**/api/move*');
  await page.click('#ask-again');
  await waitForMoves(page, 2);
  assert.equal(await page.locator('#ask-again').isVisible(), false);
  assert.equal(await page.locator('#clock-near.running').count(), 1);
  // A take-back restores the clocks.
  await page.evaluate(() => {
    const now = performance.now.bind(performance);
    window.ahead = 60000;
    performance.now = () => now() + window.ahead;
  });
  await page.waitForFunction(() => /^Red (4:00|3)/.test(document.querySelector('#clock-near').textContent));
  await page.click('#take-back');
  await page.waitForFunction(() => /^Red (5:00|4:[1-5])/.test(document.querySelector('#clock-near').textContent));
  await square(page, 'h2').click();
  await square(page, 'e2').click();
  await waitForMoves(page, 2);
  await asksBeforeOpening(page);
  await page.goBack();
  await waitForStatus(page, 'Do this once more');
  assert.equal(await moveCount(page), 2);
  assert.equal(await page.locator('#resign').isVisible(), true);
  await page.goBack();
  await waitForExactly(page, 1);
  assert.equal(await page.locator('#resign').isVisible(), false);
  await page.context().close();
}

// Each way to open another game asks before it ends the game against the engine. `ahead` is added to the time of the page.
async function asksBeforeOpening(page) {
  await page.click('#game-panel summary');
  await page.fill('#fen', ENDING);
  await page.fill('#paste', GAME);
  const click = (id) => page.locator(`#${id}`).evaluate((node) => node.click());
  const ways = [
    ...['new-game', 'read', 'file', 'delete'].map((id) => () => click(id)), () => page.click('#position button'),
    () => transfer(page, 'drop', 'game.pgn', Buffer.from(GAME)), () => transfer(page, 'paste', 'game.pgn', Buffer.from(GAME)),
  ];
  for (const way of ways) {
    await page.evaluate(() => {
      window.ahead += 6000;
      document.querySelector('#status').textContent = '';
    });
    await way();
    await waitForStatus(page, 'Do this once more');
    assert.equal(await moveCount(page), 2);
    assert.equal(await page.locator('#resign').isVisible(), true);
  }
  await page.evaluate(() => { window.ahead += 6000; });
}

// The server judges a game with the engine's move, so that no other query about the position is needed. The next game
// starts where the one before has started. Its end is shown in the language of the page, and its result later, too.
async function endsMatches(url) {
  const page = await open(`${url}#~h2e2h9g7@2`);
  const unknown = { book: [], tablebase: [], opening: null, value: null, end: null };
  await page.route('**/api/position*', (route) => route.fulfill({ json: unknown }));
  const play = async (reply, steps = '') => {
    await page.route('**/api/move*', async (route) => {
      if (steps) await page.click(steps);
      await route.fulfill({ json: reply });
    }, { times: 1 });
    await page.click('#play-red');
    await waitForExactly(page, 2);
    await square(page, 'h0').click();
    await square(page, 'g2').click();
  };
  await page.click('#play-panel summary');
  await play({ end: { cause: 'Repetition', loser: 'w' } }, '#back');
  await waitForStatus(page, 'Red N2+3 · by the rules (repetition): Black wins');
  assert.equal(await moveCount(page), 3);
  assert.equal(await page.locator('#resign').isVisible(), false);
  await play({ move: 'i9h9', end: { cause: 'NoCapture', loser: null } });
  await waitForStatus(page, 'Black R9=8 · by the rules (no-capture limit): Draw');
  assert.equal(await page.locator('#resign').isVisible(), false);
  await play({ move: 'i9h9', end: null });
  await waitForExactly(page, 4);
  await page.click('#resign');
  await waitForStatus(page, 'Red resigns');
  await page.click('#language');
  await waitForStatus(page, '红方认输 · 黑胜');
  await page.click('#back');
  assert.match(await status(page), /黑方走棋$/);
  await page.click('#next');
  assert.match(await status(page), /红方走棋 · 结果：0-1$/);
  await page.context().close();
}

// A reply that arrives after another game has been opened does not replace it.
async function dropsLateReplies(url) {
  const page = await open(url);
  await page.click('#game-panel summary');
  await page.evaluate(() => {
    const { json } = Response.prototype;
    Response.prototype.json = async function read() {
      const reply = await json.call(this);
      // After the code that waits for the reply.
      if (this.url.includes(window.late)) setTimeout(() => { window.hasReplied = true; });
      return reply;
    };
  });
  for (const [path, field, text, button] of [
    ['api/read', '#paste', GAME, '#read'], ['api/position?start=3k5', '#fen', ENDING, '#position button'],
  ]) {
    let answer = null;
    await page.route((address) => address.href.includes(path), (route) => { answer = () => route.continue(); }, { times: 1 });
    await page.fill(field, text);
    await page.evaluate((late) => Object.assign(window, { late, hasReplied: false }), path);
    await page.click(button);
    if (path === 'api/read') assert.equal(await status(page), 'Reading…');
    while (!answer) await page.waitForTimeout(50);
    await page.click('#new-game');
    await square(page, 'c3').click();
    await square(page, 'c4').click();
    answer();
    await page.waitForFunction(() => window.hasReplied);
    assert.equal(await moveCount(page), 1);
    assert.equal(await pieceAt(page, 'c4'), 1);
  }
  await page.context().close();
}

// What the user does while the engine thinks neither ends its search nor changes its move.
async function leavesEngineThinking(url) {
  const page = await open(`${url}#~@0;Red=A;Black=B;Result=1-0`);
  const asked = [];
  page.on('request', (request) => asked.push(...(/(?<=api\/)(analyse|move|draw|review)/.exec(request.url()) || []).slice(1)));
  let reply = null;
  await page.route('**/api/move*', (route) => { reply = (move) => route.fulfill({ json: { move } }); });
  await page.click('#play-panel summary');
  await page.click('#play-red');
  assert.match(await page.locator('#game-title').textContent(), /^\? – Chuhe/);
  await page.click('#analyse');
  await page.waitForSelector('#engine-lines li');
  await square(page, 'h2').click();
  await square(page, 'e2').click();
  await page.waitForSelector('#knowledge button');
  await page.locator('#knowledge button').first().click();
  await waitForStatus(page, 'engine’s turn');
  for (const id of ['analyse', 'analyse', 'review', 'first', 'last']) await page.click(`#${id}`);
  assert.deepEqual(asked, ['analyse', 'move']);
  // A comment belongs to the move for which it was begun.
  await page.click('#annotate summary');
  await page.locator('#comment').pressSequentially('own');
  await reply('h9g7');
  await waitForMoves(page, 2);
  await page.waitForSelector('#engine-lines li');
  assert.deepEqual(asked, ['analyse', 'move', 'analyse']);
  await page.locator('#comment').blur();
  assert.match(await page.evaluate(() => location.hash), /^#~h2e2:own:h9g7@2/);
  assert.equal(await page.inputValue('#comment'), '');
  await page.click('#analyse');
  await offersDrawFromOtherPosition(page);
  await setsUpInMatch(page, (move) => reply(move));
  await page.context().close();
}

// Makes the server report for every position that a repetition has ended the game, until `unroute`.
async function endsByRepetition(page, loser) {
  const ended = { book: [], tablebase: [], opening: null, value: null, end: { cause: 'Repetition', loser } };
  await page.route('**/api/position*', (route) => route.fulfill({ json: ended }));
}

// A draw offer is about the game, not the position on the board, and a variation does not end the game.
async function offersDrawFromOtherPosition(page) {
  await page.click('#first');
  await page.route('**/api/draw*', (route) => {
    const moves = new URL(route.request().url()).searchParams.get('moves');
    return route.fulfill({ json: { answer: moves === 'h2e2,h9g7' ? 'too early' : 'better' } });
  });
  await page.click('#offer-draw');
  await waitForStatus(page, 'too early');
  await endsByRepetition(page, 'w');
  await square(page, 'c3').click();
  await square(page, 'c4').click();
  await waitForStatus(page, 'repetition');
  assert.equal(await page.locator('#resign').isVisible(), true);
  await page.unroute('**/api/position*');
  await page.click('#delete');
  await page.click('#last');
}

// A move of the engine does not change the board in the editor. A dropped game closes the editor. A game against the
// engine ends if its moves are deleted.
async function setsUpInMatch(page, reply) {
  await square(page, 'b0').click();
  await square(page, 'c2').click();
  await page.click('#game-panel summary');
  await page.click('#edit');
  await page.click('#clear');
  await reply('b9c7');
  await waitForMoves(page, 4);
  assert.equal(await pieceAt(page, 'e0'), 0);
  await page.goBack();
  await waitForStatus(page, 'Do this once more');
  assert.equal(await pieceAt(page, 'e0'), 0);
  await page.click('#cancel');
  assert.equal(await pieceAt(page, 'c7'), 1);
  // The second click confirms, unless the question of Back still counts: then it deletes one more move.
  for (const id of ['back', 'back', 'delete', 'delete']) await page.click(`#${id}`);
  assert.equal(await page.locator('#resign').isVisible(), false);
  await page.click('#edit');
  await transfer(page, 'drop', 'game.pgn', Buffer.from(GAME));
  await waitForMoves(page, 8);
  assert.equal(await page.locator('#editor').isVisible(), false);
  assert.equal(await pieceAt(page, 'e0'), 1);
}

// Variations, the history of the browser, and the field for a FEN.
async function changesGames(url) {
  const page = await open(`${url}#~h2e2(b2e2h9g7(b9c7))h9g7h0g2@4`);
  await page.click('#annotate summary');
  await page.click('#promote');
  const address = () => page.evaluate(() => location.hash);
  assert.match(await address(), /^#~b2e2\(h2e2h9g7h0g2\)b9c7\(h9g7\)@/);
  // Back after a move returns to the position before it, even if the user has just navigated there.
  await page.goto(`${url}#~h2e2h9g7@0`);
  await page.evaluate(() => {
    document.querySelector('#last').click();
    for (const name of ['h0', 'g2']) document.querySelector(`#squares [data-name=${name}]`).click();
  });
  assert.equal(await moveCount(page), 3);
  await page.goBack();
  await waitForExactly(page, 2);
  assert.match(await address(), /@2$/);
  await page.click('#game-panel summary');
  const start = `${START} - - 0 1`;
  for (const [fen, count] of [[`${start} moves h2e2 H9G7`, 2], [`position fen ${start}`, 0], [`fen ${start} moves 炮二平五`, 1]]) {
    await page.fill('#fen', fen);
    await page.click('#position button');
    await waitForExactly(page, count);
    assert.match(await address(), /^#~/);
  }
  // A game of the list can be chosen again after another game has been opened.
  const buffer = Buffer.from('1. h2e2 *\n\n1. c3c4 b7c7 *\n');
  await page.setInputFiles('#file', { name: 'games.pgn', mimeType: 'text/plain', buffer });
  await waitForStatus(page, 'Games read: 2');
  for (let n = 0; n < 2; n++) {
    await page.selectOption('#games', '1');
    assert.equal(await moveCount(page), 2);
    await page.click('#new-game');
    assert.equal(await page.inputValue('#games'), '');
  }
  await keepsListedGames(page);
  // An invalid link in the address of the open page is reported.
  await page.goto(`${url}#nonsense/9`);
  await waitForStatus(page, 'not a legal position');
  // A drag ends if its piece disappears because the position changes.
  await page.goto(`${url}#~h2e2@0`);
  await square(page, 'h2').hover();
  await page.mouse.down();
  await square(page, 'h3').hover();
  await page.keyboard.press('ArrowRight');
  await square(page, 'h4').hover();
  await page.mouse.up();
  await waitForStatus(page, 'Black to move');
  // If a query fails, the moves of the book in the position before are not shown.
  await page.waitForSelector('#knowledge button');
  await page.route('**/api/position*', (route) => route.fulfill({ body: 'no JSON' }));
  await page.click('#back');
  await waitForStatus(page, 'invalid reply');
  assert.equal(await page.locator('#knowledge, #opening, #tablebase-value').filter({ hasText: /./ }).count(), 0);
  await page.context().close();
}

// A listed game keeps its changes while another one is on the board, also after Back.
async function keepsListedGames(page) {
  const comment = () => page.locator('#comment-text').textContent();
  const write = async (text) => {
    await page.fill('#comment', text);
    await page.locator('#comment').blur();
  };
  await page.selectOption('#games', '0');
  await write('first');
  await write('second');
  await page.selectOption('#games', '1');
  assert.equal(await comment(), '');
  await page.selectOption('#games', '0');
  assert.equal(await comment(), 'second');
  for (const _ of ['selection of game 1', 'of game 2', 'second comment']) await page.goBack();
  await page.waitForFunction(() => document.querySelector('#comment-text').textContent === 'first');
  assert.equal(await page.inputValue('#games'), '0');
  await page.selectOption('#games', '1');
  await page.selectOption('#games', '0');
  assert.equal(await comment(), 'first');
}

// A reload continues the game against the engine with its side, level and clocks.
async function resumesMatch(page) {
  await page.reload();
  await page.waitForSelector('body[data-ready]');
  await waitForStatus(page, 'continues');
  assert.equal(await moveCount(page), 4);
  assert.equal(await page.locator('#strength').inputValue(), '500');
  await page.waitForFunction(() => /^Red 4:\d\d$/.test(document.querySelector('#clock-near.running')?.textContent));
  assert.equal(await page.locator('#resign').isVisible(), true);
  await square(page, 'a3').click();
  await square(page, 'a4').click();
  await waitForMoves(page, 6);
  await page.click('#take-back');
  await waitForExactly(page, 4);
  // Another tab with the same address does not continue it.
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.waitForSelector('body[data-ready]');
  assert.equal(await other.locator('#resign').isVisible(), false);
  await other.close();
}

async function playsByKeyboard(url) {
  const page = await open(`${url}#${STALEMATE.replaceAll(' ', '_')}`);
  const isOnSquare = () => page.evaluate(() => document.activeElement.dataset.name);
  for (let n = 0; n < 10 && !(await isOnSquare()); n++) await page.keyboard.press('Tab');
  assert.equal(await isOnSquare(), 'e0');
  const press = async (...keys) => { for (const key of keys) await page.keyboard.press(key); };
  await press('ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowUp', 'Enter');
  assert.match(await square(page, 'b1').getAttribute('aria-label'), /^b1, red rook, selected$/);
  assert.match(await square(page, 'b8').getAttribute('aria-label'), /legal target/);
  await press(...Array(7).fill('ArrowUp'), 'Space');
  await waitForStatus(page, 'No legal move');
  assert.equal(await page.evaluate(() => document.activeElement.dataset.name), 'b8');
  // Outside the board the arrow keys step through the game.
  await page.locator('#language').focus();
  await press('ArrowLeft');
  assert.match(await status(page), /Red to move/);
  await press('End');
  assert.match(await status(page), /No legal move.*Red wins/);
  // The Tab key reaches every control.
  const all = await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true;
    document.activeElement.blur();
    const controls = [...document.querySelectorAll('button, input, select, textarea, summary')];
    const reachable = controls.filter((node) => node.checkVisibility() && !node.disabled && node.tabIndex >= 0);
    reachable.forEach((node, n) => { node.dataset.control = n; });
    return reachable.length;
  });
  const reached = new Set();
  for (let n = 0; n < 2 * all && reached.size < all; n++) {
    await press('Tab');
    const control = await page.evaluate(() => document.activeElement.dataset.control);
    if (control !== undefined) reached.add(control);
  }
  assert.equal(reached.size, all);
  // A game against the engine, with keys alone.
  await page.locator('#play-red').focus();
  await press('Home');
  await page.locator('#new-game').focus();
  await press('Enter');
  await page.locator('#strength').focus();
  await press('Home');
  assert.equal(await page.locator('#strength').inputValue(), '500');
  await page.locator('#play-red').focus();
  await press('Enter');
  await square(page, 'b8').evaluate((button) => button.focus());
  await press(...Array(6).fill('ArrowDown'), 'Enter', ...Array(3).fill('ArrowRight'), 'Enter');
  await waitForMoves(page, 2);
  assert.equal(await pieceAt(page, 'e2'), 1);
  // An arrow and a circle.
  await press('d', 'ArrowUp', 'Enter', 'ArrowUp', 'ArrowUp', 'Enter', 'Enter', 'Enter');
  assert.equal(await page.locator('#board [data-move=e3e5]').count(), 1);
  assert.equal(await page.locator('#board .circle').count(), 1);
  assert.match(await square(page, 'e3').getAttribute('aria-label'), /arrow to e5$/);
  assert.match(await square(page, 'e5').getAttribute('aria-label'), /circled$/);
  // Caps Lock makes no difference.
  await press('D');
  assert.equal(await page.locator('#draw-hint').isVisible(), false);
  const place = () => square(page, 'e3').boundingBox();
  const before = await place();
  await press('F');
  assert.notDeepEqual(await place(), before);
  await press('f');
  assert.deepEqual(await place(), before);
  assert.equal(await moveCount(page), 2);
  await page.context().close();
}

// With the keyboard, a choice in the position editor keeps the focus. A button that hides itself gives it to the board.
async function keepsFocus(url) {
  const page = await open(url);
  const press = async (selector, isLost = true) => {
    await page.locator(selector).first().focus();
    await page.keyboard.press('Enter');
    if (isLost) await page.waitForFunction(() => document.activeElement.closest('#squares'), null, { timeout: 2000 });
  };
  for (const id of ['game-panel', 'play-panel']) await page.click(`#${id} summary`);
  await page.waitForSelector('#knowledge button');
  await press('#knowledge button');
  await press('#edit', false);
  for (const name of ['cannon', 'knight']) {
    await press(`#palette [aria-label="red ${name}"]`, false);
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), `red ${name}`);
  }
  assert.equal(await page.locator('#palette [aria-pressed=true]').count(), 1);
  // An unchanged position keeps its moves. Escape leaves the editor.
  await press('#done');
  assert.equal(await moveCount(page), 1);
  await press('#edit', false);
  await press('#cancel');
  await press('#edit', false);
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('#editor').isVisible(), false);
  await press('#play-black');
  await press('#resign');
  // The mouse does not move the focus.
  await page.click('#play-black');
  assert.equal(await page.evaluate(() => document.activeElement.closest('#squares')), null);
  await page.context().close();
}

async function playsByTouch(url) {
  const options = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, locale: 'zh-CN', colorScheme: 'dark' };
  const page = await open(url, options);
  assert.equal(await page.title(), '楚河');
  for (const [from, to] of [['h2', 'e2'], ['h9', 'g7'], ['h0', 'g2']]) {
    await square(page, from).tap();
    await square(page, to).tap();
  }
  assert.match(await page.locator('#moves').textContent(), /1\. 炮二平五 马８进７ 2\. 马二进三/);
  assert.match(await status(page), /黑方走棋/);
  const client = await page.context().newCDPSession(page);
  const touch = (type, points) => client.send('Input.dispatchTouchEvent', { type, touchPoints: points });
  await drawsByLongPress(page, touch);
  await drawsByTouch(page, touch);
  await page.click('#play-panel summary');
  await page.selectOption('#strength', '500');
  await page.click('#play-black');
  // The board is visible when a game starts, and the message below the board after scrolling down.
  assert((await page.locator('#frame').boundingBox()).y >= 0);
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  assert.equal((await page.locator('#status').boundingBox()).y, 0);
  await square(page, 'i9').tap();
  await square(page, 'h9').tap();
  await waitForMoves(page, 5);
  await page.click('#end-play');
  for (const summary of await page.locator('details > summary').all()) {
    if (await summary.isVisible() && !(await summary.evaluate((node) => node.parentNode.open))) await summary.click();
  }
  await checkAccessibility(page, 'phone-zh-dark');
  await page.context().close();
}

// A comment is kept while it is being written: a reload, Back and another game neither lose it nor give it to another
// move. A game that is too long for the address is kept, too.
async function keepsComments(url) {
  const page = await open(`${url}#~h2e2h9g7@2`);
  const comment = () => page.inputValue('#comment');
  await page.click('#annotate summary');
  await page.locator('#comment').pressSequentially('see a@1;b');
  await page.waitForFunction(() => location.hash.includes('%3Bb'));
  await page.reload();
  await page.waitForSelector('body[data-ready]');
  assert.equal(await page.locator('#comment-text').textContent(), 'see a@1;b');
  await page.click('#annotate summary');
  await page.locator('#comment').focus();
  await page.goBack();
  await page.waitForFunction(() => document.querySelector('#comment').value === '');
  await page.locator('#comment').pressSequentially('new');
  await page.locator('#comment').blur();
  assert.equal(await page.locator('#comment-text').textContent(), 'new');
  await page.locator('#comment').focus();
  await page.locator('#comment').pressSequentially(' text');
  await transfer(page, 'drop', 'game.pgn', Buffer.from(GAME));
  await page.waitForFunction(() => document.querySelector('#comment').value === 'Before');
  await page.goBack();
  await page.waitForFunction(() => document.querySelector('#comment').value.endsWith('text'));
  const long = '长'.repeat(10000);
  await transfer(page, 'drop', 'game.pgn', Buffer.from(GAME.replace('Before', long)));
  await page.waitForFunction((text) => document.querySelector('#comment').value === text, long);
  await waitForStatus(page, 'Games read: 1');
  await page.fill('#comment', `${long}.`);
  await page.waitForFunction(() => history.state.text.includes('.:'));
  await page.reload();
  await page.waitForSelector('body[data-ready]');
  assert.equal(await moveCount(page), 8);
  assert.equal(await comment(), `${long}.`);
  await page.goBack();
  await page.waitForFunction((text) => document.querySelector('#comment').value === text, long);
  await page.goBack();
  await waitForExactly(page, 2);
  await page.context().close();
}

// A game against the engine from a record leaves the record as it is, and does not start where the game is over.
async function playsFromRecord(url) {
  const record = '#~h2e2:own:h9g7h0g2(c3c4)@2;Red=A;Black=B;Event=C;Result=1-0';
  const page = await open(url + record);
  const title = () => page.locator('#game-title').textContent();
  await page.route('**/api/move*', (route) => route.fulfill({ json: { move: 'i9h9' } }));
  await page.click('#play-panel summary');
  await page.click('#play-red');
  assert.equal(await title(), '? – Chuhe');
  await waitForExactly(page, 2);
  await square(page, 'h0').click();
  await square(page, 'g2').click();
  await waitForExactly(page, 4);
  assert.equal((await status(page)).includes('variation'), false);
  // The engine does not answer in a variation.
  await page.click('#back');
  await page.click('#back');
  assert.equal((await status(page)).includes('variation'), false);
  await square(page, 'a3').click();
  await square(page, 'a4').click();
  await waitForStatus(page, 'This is a variation');
  await page.click('#resign');
  await waitForStatus(page, 'Red resigns');
  assert.match(await title(), /^\? – Chuhe  0-1/);
  for (let n = 0; n < 5 && !(await title()).startsWith('A'); n++) await page.goBack();
  assert.equal(await page.evaluate(() => location.hash), record);
  await page.goto(`${url}#${STALEMATE.replaceAll(' ', '_')}~b1b8@1;Red=A`);
  await waitForStatus(page, 'No legal move');
  await page.click('#play-red');
  await waitForStatus(page, 'Red to move');
  assert.equal(await title(), '? – Chuhe');
  assert.equal(await moveCount(page), 0);
  await page.click('#end-play');
  await page.goto(`${url}#3k5/1R7/9/9/9/9/9/R8/9/4K4_b~@0;Red=A`);
  await waitForStatus(page, 'No legal move');
  await page.click('#play-black');
  await waitForStatus(page, 'The game is over');
  assert.equal(await title(), 'A – ?');
  await page.context().close();
}

// An analysis waits for the end of a review. A search for another tab ends the review, whose finished part is kept.
// The accuracy is removed if the main line changes.
async function keepsFinishedReview(url) {
  const page = await open(`${url}#~h2e2(b2e2)h9g7h0g2i9h9@0`);
  const asked = [];
  page.on('request', (request) => asked.push(...(/(?<=api\/)(analyse|review)/.exec(request.url()) || []).slice(1)));
  const other = await page.context().newPage();
  await other.goto(url);
  await other.waitForSelector('body[data-ready]');
  await page.fill('#review-time', '2');
  await page.click('#review');
  await page.click('#analyse');
  assert.equal(await page.locator('#speed').textContent(), 'A review is running');
  await page.waitForFunction(() => /^[23] of/.test(document.querySelector('#review-count').textContent));
  assert.deepEqual(asked, ['review']);
  await other.click('#analyse');
  await waitForStatus(page, 'moves judged so far are kept');
  await other.close();
  assert.equal(await page.locator('#speed').textContent(), 'The analysis is off');
  assert.match(await page.locator('#sides').textContent(), /Red\d+\.\d %/);
  await page.click('#moves .variation button');
  await page.click('#annotate summary');
  await page.click('#promote');
  assert.equal(await page.evaluate(() => /Accuracy/.test(location.hash)), false);
  await page.context().close();
}

// The whole board is visible in windows of all sizes, and nothing is wider than the window.
async function fitsWindows(url) {
  const page = await open(url);
  const games = `[Red "${'长'.repeat(100)}"]\n\n1. h2e2 *\n\n`.repeat(2);
  await transfer(page, 'drop', 'games.pgn', Buffer.from(games));
  await waitForStatus(page, 'Games read: 2');
  for (const [width, height] of [[320, 568], [568, 320], [667, 375], [683, 650], [720, 780], [800, 375], [1280, 720]]) {
    await page.setViewportSize({ width, height });
    const { y, height: board } = await page.locator('#frame').boundingBox();
    assert(y >= 0 && y + board <= height, `${width}×${height}: the board ends at ${y + board}`);
    assert(board > 0.55 * Math.min(height, width), `${width}×${height}: the board has the height ${board}`);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
  }
  for (const [width, height] of [[3840, 2160], [3000, 2000], [2160, 3840]]) {
    await page.setViewportSize({ width, height });
    const { width: panel } = await page.locator('#game-panel').boundingBox();
    assert(panel > 300, `${width}×${height}: the panels have the width ${panel}`);
  }
  await page.context().close();
}

// The browser keeps the language and the notation. Without a chosen notation, that of the language is used.
async function keepsLanguage(url) {
  const page = await open(url);
  await page.waitForSelector('#knowledge h3');
  assert.match(await page.locator('#knowledge').textContent(), /^Opening book: built-in/);
  await page.click('#language');
  await page.waitForFunction(() => document.querySelector('#knowledge').textContent.startsWith('开局库：内置'));
  for (const isReloaded of [false, true]) {
    if (isReloaded) {
      await page.reload();
      await page.waitForSelector('body[data-ready]');
    }
    assert.equal(await page.title(), '楚河');
    assert.equal(await page.locator('#notation').inputValue(), 'chinese');
  }
  await page.click('summary >> text=设置');
  await page.selectOption('#notation', 'coordinates');
  await page.click('#language');
  assert.equal(await page.title(), 'Chuhe');
  assert.equal(await page.locator('#notation').inputValue(), 'coordinates');
  await page.context().close();
}

// An arrow and a circle by a long press, outside the drawing mode; the same gestures remove them again.
async function drawsByLongPress(page, touch) {
  const [start, end] = await centers(page, 'a3', 'a5');
  const scrolled = await page.evaluate(() => scrollY);
  for (const count of [1, 0]) {
    for (const target of [end, start]) {
      await touch('touchStart', [start]);
      await page.waitForSelector('#board .pressed', { state: 'attached' });
      if (target === end) {
        await touch('touchMove', [{ x: start.x, y: (start.y + end.y) / 2 }]);
        await touch('touchMove', [end]);
        await page.waitForSelector('#board .pressed', { state: 'detached' });
      }
      await touch('touchEnd', []);
    }
    assert.equal(await page.locator('#board [data-move=a3a5]').count(), count);
    assert.equal(await page.locator('#board .circle').count(), count);
  }
  assert.equal(await page.evaluate(() => scrollY), scrolled);
  // A finger that moves before the long press moves the piece, or scrolls the page.
  await touch('touchStart', [start]);
  await touch('touchMove', [end]);
  await page.waitForTimeout(600);
  assert.equal(await page.locator('#board .pressed').count(), 0);
  await touch('touchEnd', []);
  await ignoresSecondFinger(page, touch);
}

// A second finger neither plays a move nor ends the drag of the first one.
async function ignoresSecondFinger(page, touch) {
  const before = await moveCount(page);
  const [piece, other, target] = (await centers(page, 'b7', 'b5', 'e7')).map((center, id) => ({ ...center, id: id % 2 }));
  await touch('touchStart', [piece]);
  await touch('touchStart', [piece, other]);
  assert.equal(await moveCount(page), before);
  await touch('touchMove', [{ ...piece, x: (piece.x + target.x) / 2 }, other]);
  await touch('touchMove', [target, other]);
  await touch('touchEnd', []);
  assert.equal(await moveCount(page), before + 1);
  await page.goBack();
  await waitForExactly(page, before);
}

// Arrows by a drag and by two taps, and a circle.
async function drawsByTouch(page, touch) {
  await page.tap('#draw');
  assert.equal(await page.locator('#draw-hint').isVisible(), true);
  const [start, end] = await centers(page, 'a3', 'a5');
  const scrolled = await page.evaluate(() => scrollY);
  await touch('touchStart', [start]);
  await touch('touchMove', [{ x: start.x, y: (start.y + end.y) / 2 }]);
  await touch('touchMove', [end]);
  await page.waitForSelector('#board [data-move=a3a5]', { state: 'attached' });
  await touch('touchEnd', []);
  assert.equal(await page.evaluate(() => scrollY), scrolled);
  for (const name of ['c9', 'c7', 'e4', 'e4']) await square(page, name).tap();
  for (const move of ['a3a5', 'c9c7']) assert.equal(await page.locator(`#board [data-move=${move}]`).count(), 1, move);
  assert.equal(await page.locator('#board .circle').count(), 1);
  await checkAccessibility(page, 'phone-drawing-zh-dark');
  for (const name of ['c9', 'c7', 'e4', 'e4']) await square(page, name).tap();
  assert.equal(await page.locator('#board .circle, #board .arrow').count(), 1);
  assert.equal(await moveCount(page), 3);
  await page.tap('#draw');
}

// A printed page has all moves and no controls. With forced colors, the current move and pressed buttons differ from
// others. Long words fit into the window.
async function showsOtherMedia(url) {
  const word = 'https%3A%2F%2Fexample.org%2F' + 'x'.repeat(300);
  const page = await open(`${url}#~${'b0c2b9c7c2b0c7b9'.repeat(60)}h2e2$1:${word}:@241;Event=${word}`);
  await checkAccessibility(page, 'long-words-en-light');
  await page.emulateMedia({ media: 'print' });
  const [list, first, last] = await Promise.all(['#moves', '#moves span:first-child button', '#moves .current']
    .map((selector) => page.locator(selector).boundingBox()));
  for (const box of [first, last]) assert(box.y >= list.y && box.y + box.height <= list.y + list.height + 1);
  assert.equal(await page.locator('#flip, #language, #position, #annotate, #engine-panel, #review-panel').filter({ visible: true }).count(), 0);
  await page.emulateMedia({ media: 'screen', forcedColors: 'active' });
  await page.click('#annotate summary');
  const color = (selector) => page.locator(selector).evaluate((node) => getComputedStyle(node).backgroundColor);
  for (const name of ['#moves .current', '#glyphs [aria-pressed=true]']) {
    for (const other of ['#moves .move:first-child button', '#glyphs :last-child']) {
      assert.notEqual(await color(name), await color(other), `${name} and ${other}`);
    }
  }
  await page.context().close();
}

async function analyses(url) {
  const page = await open(url, { viewport: { width: 1920, height: 1080 } });
  await page.click('#analyse');
  await page.waitForSelector('#engine-lines li:nth-child(3)');
  const speed = () => page.locator('#speed').textContent();
  const before = await speed();
  await page.waitForFunction((text) => document.querySelector('#speed').textContent !== text, before);
  assert.match(await speed(), /^depth \d+ · [\d,]+ nodes\/s/);
  assert.equal(await page.locator('#board .arrow').count(), 3);
  assert.match(await page.locator('#chances').getAttribute('aria-label'), /^Red wins \d/);
  // The book knows the starting position, but perhaps not the position after the engine's move.
  await page.waitForSelector('#knowledge button');
  // A click on a line plays its first move; the analysis follows.
  await page.locator('#engine-lines button').first().click();
  assert.equal(await moveCount(page), 1);
  await page.waitForSelector('#engine-lines li:nth-child(3)');
  await checkAccessibility(page, 'analysis-en-light-1920');
  await page.click('#analyse');
  assert.equal(await page.locator('#engine-lines li').count(), 0);
  assert.equal(await page.locator('#board .arrow').count(), 0);
  // After the time limit of the server, the button starts an analysis again.
  const body = 'event: done\ndata: {"stopped":false,"expired":true}\n\n';
  await page.route('**/api/analyse*', (route) => route.fulfill({ contentType: 'text/event-stream', body }));
  await page.click('#analyse');
  await page.waitForSelector('#analyse[aria-pressed=false]');
  await page.context().close();
}

async function reviews(url) {
  const page = await open(url);
  await page.click('#game-panel summary');
  await page.fill('#paste', GAME);
  await page.click('#read');
  await waitForStatus(page, 'Games read: 1');
  assert.equal(await moveCount(page), 8);
  assert.equal(await page.locator('#moves .variation').count(), 2);
  assert.equal(await page.locator('#comment-text').textContent(), 'Before');
  assert.match(await page.locator('#game-title').textContent(), /A <b> & c – 象棋/);
  await page.keyboard.press('Escape');
  await page.locator('#first').focus();
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowDown']) await page.keyboard.press(key);
  assert.match(await status(page), /Black C8=5/);
  await page.fill('#review-time', '0.1');
  await page.click('#review');
  await page.waitForSelector('#graph .ply');
  assert.equal(await page.locator('#graph .ply').count(), 6);
  await page.locator('#graph [data-ply="4"]').click();
  assert.match(await status(page), /Black R9=8/);
  await page.waitForFunction(() => location.hash.includes('@'));
  await page.waitForTimeout(400);
  assert.match(await page.locator('#comment-text').textContent(), /for red at depth \d/);
  const moves = await page.locator('#moves').textContent();
  assert.match(await page.locator('#game-title').textContent(), /A <b> & c – 象棋 +1-0/);
  await checkAccessibility(page, 'review-en-light-1280');
  await page.reload();
  await page.waitForSelector('body[data-ready]');
  assert.equal(await page.locator('#moves').textContent(), moves);
  assert.match(await status(page), /Black R9=8/);
  assert.equal(await page.locator('#graph .ply').count(), 6);
  // Back undoes the review, then the loaded game.
  await page.goBack();
  await page.waitForFunction(() => !document.querySelector('#graph .ply') || document.querySelector('#graph').hidden);
  assert.equal(await moveCount(page), 8);
  await page.goBack();
  assert.equal(await moveCount(page), 0);
  // Invalid text is refused with its reason, and the position stays.
  await page.click('#game-panel summary');
  for (const fen of ['rnbakabnr/9/9 w', 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1', 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1']) {
    await page.fill('#fen', fen);
    await page.click('#position button');
    await waitForStatus(page, `${fen.split('/').length} ranks`);
  }
  await page.click('#edit');
  // The editor moves pieces by a drag and by two clicks.
  const [from, to] = await centers(page, 'a0', 'a4');
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 5 });
  await page.mouse.up();
  await square(page, 'i0').click();
  await square(page, 'i4').click();
  assert.deepEqual(await Promise.all(['a0', 'a4', 'i0', 'i4'].map((name) => pieceAt(page, name))), [0, 1, 0, 1]);
  await page.click('#clear');
  await page.click('#done');
  await waitForStatus(page, 'king');
  await checkAccessibility(page, 'editor-en-light');
  await page.click('#cancel');
  assert.equal(await pieceAt(page, 'e0'), 1);
  // The games of a file are listed.
  const buffer = Buffer.from('1. h2e2 *\n\n[Red "乙"]\n\n1. c3c4 b7c7 *\n');
  await page.setInputFiles('#file', { name: 'games.pgn', mimeType: 'text/plain', buffer });
  await waitForStatus(page, 'Games read: 2');
  await page.selectOption('#games', '1');
  assert.equal(await moveCount(page), 2);
  const [picture] = await Promise.all([page.waitForEvent('download'), page.click('#save-picture')]);
  assert(readFileSync(await picture.path()).subarray(1, 4).equals(Buffer.from('PNG')));
  // A review can be canceled.
  await page.fill('#review-time', '600');
  await page.click('#review');
  assert.equal(await page.locator('#review-count').textContent(), '0 of 3 positions');
  assert.equal(await page.locator('#review').textContent(), 'Cancel');
  await page.click('#review');
  assert.equal(await page.locator('#review').textContent(), 'Review the game');
  await page.context().close();
}

// Drops a file, or `count` files, on the page, or pastes them.
async function transfer(page, kind, name, bytes, count = 1) {
  await page.evaluate(([type, fileName, data, number]) => {
    const transferred = new DataTransfer();
    for (let n = 0; n < number; n += 1) transferred.items.add(new File([new Uint8Array(data)], fileName));
    const options = { bubbles: true, cancelable: true };
    const event = type === 'drop' ? new DragEvent('drop', { ...options, dataTransfer: transferred })
      : new ClipboardEvent('paste', { ...options, clipboardData: transferred });
    document.body.dispatchEvent(event);
  }, [kind, name, [...bytes], count]);
}

// Files in other formats than PGN. The first game of each ends with R9=8, black's second move.
const OTHER_FORMATS = [
  ['game.wxf', 'FORMAT\tWXF\nRED\t甲;\nBLACK\t乙;\nSTART{\n 1. C2=5 H8+7\n 2. H2+3 R9=8\n}END\n'],
  ['game.cbf', '<?xml version="1.0" encoding="UTF-8"?>\n<ChineseChessRecord Version="1.0"><Head><Red>甲</Red><Black>乙</Black></Head>'
    + '<MoveList><Move value="00-00"/><Move value="77-47"/><Move value="70-62"/><Move value="79-67"/><Move value="80-70"/></MoveList>'
    + '</ChineseChessRecord>\n'],
  ['forum.txt', 'Game: [DhtmlXQ][DhtmlXQ_title]题[/DhtmlXQ_title][DhtmlXQ_movelist]7747706279678070[/DhtmlXQ_movelist][/DhtmlXQ]'],
  ['moves.txt', '1. 炮二平五 马８进７\n2. 马二进三 车９平８\n'],
  ['games.txt', 'position startpos moves h2e2 h9g7 h0g2 i9h9\nstartpos moves h2e2\n'],
  ['utf-16.txt', Buffer.from('\ufeff炮二平五 马８进７ 马二进三 车９平８', 'utf16le')],
];

// Opens each of them with the file control, by drop and by pasting the file, and pastes the content if it is text.
async function opensOtherFormats(page) {
  const expect = async (name) => {
    await waitForStatus(page, 'Games read').catch(async () => assert.fail(`${name}: ${await status(page)}`));
    await page.locator('#last').evaluate((button) => button.click());
    assert.match(await status(page), /^Black R9=8 /, name);
  };
  for (const [name, content] of OTHER_FORMATS) {
    const buffer = Buffer.from(content);
    await page.setInputFiles('#file', { name, mimeType: 'application/octet-stream', buffer });
    await expect(`${name} with the control`);
    for (const way of ['drop', 'paste']) {
      await transfer(page, way, name, buffer);
      await expect(`${name} by ${way}`);
    }
    if (typeof content !== 'string') continue;
    await page.fill('#paste', content);
    await page.locator('#read').evaluate((button) => button.click());
    await expect(`${name} as text`);
  }
}

// Opens files of all formats with the file control, by drop and by paste. The saved PGN is the same game.
async function opensFiles(url) {
  const page = await open(url);
  await page.click('#game-panel summary');
  await opensOtherFormats(page);
  await transfer(page, 'drop', 'game.pgn', Buffer.from(GAME), 3);
  await waitForStatus(page, 'Other files, not opened: 2');
  await page.click('#game-panel summary');
  writeFileSync(join(directory, 'game.pgn'), GAME);
  for (const [format, way] of [['xqf', 'drop'], ['cbl', 'paste'], ['dhtmlxq', 'choose'], ['cbr', 'drop']]) {
    execFileSync(PROGRAM, ['convert', 'game.pgn', '--to', format, '--force', '-o', `game.${format}`], { cwd: directory });
    const buffer = readFileSync(join(directory, `game.${format}`));
    await page.evaluate(() => { document.querySelector('#new-game').click(); });
    await waitForExactly(page, 0);
    if (way === 'choose') {
      await page.setInputFiles('#file', { name: `game.${format}`, mimeType: 'application/octet-stream', buffer });
    } else await transfer(page, way, `game.${format}`, buffer);
    await waitForMoves(page, 8);
    assert.equal(await page.locator('#moves .variation').count(), 2, format);
    assert.equal(await page.locator('#comment-text').textContent(), 'Before', format);
  }
  await transfer(page, 'drop', 'random', Buffer.from([0, 1, 2, 3]));
  await page.waitForFunction(() => !/Games read|to move/.test(document.querySelector('#status').textContent));
  assert.equal(await moveCount(page), 8);
  await page.click('#game-panel summary');
  // Links of this page and of the public library.
  const fen = ENDING.replace(' ', '%20');
  for (const [link, piece] of [
    [`https://example.org/?${ENDING.replace(' ', '_')}`, 'e1'], [page.url(), 'h0'],
    [`https://example.org/?fen=${fen}&x=1`, 'e1'],
    [page.url(), 'h0'],
    [`https://example.org/editor/${fen}`, 'e1'], [`Look: ${page.url()}`, 'h0'],
  ]) {
    await page.fill('#paste', link);
    await page.click('#read');
    await page.waitForSelector(`#board [data-square=${piece}]`, { state: 'attached' });
  }
  assert.equal(await moveCount(page), 8);
  await page.fill('#paste', 'https://example.org/?x/y');
  await page.click('#read');
  await waitForStatus(page, 'the link contains no game');
  const [saved] = await Promise.all([page.waitForEvent('download'), page.click('#save-pgn')]);
  const text = execFileSync(PROGRAM, ['convert', await saved.path(), '--notation', 'wxf'], { encoding: 'utf8' });
  assert.match(text, /\{Before\} 1\. C2=5 N8\+7 \{known\} \(1\.\.\. C8=5 2\. N2\+3 \(2\. N8\+7\)\)/);
  await savesAllGames(page);
  await page.context().close();
}

// The saved PGN has all games of the list with their changes, or only the game on the board if it is not in the list.
async function savesAllGames(page) {
  const save = async () => {
    const [saved] = await Promise.all([page.waitForEvent('download'), page.click('#save-pgn')]);
    return [saved.suggestedFilename(), readFileSync(await saved.path(), 'utf8')];
  };
  await transfer(page, 'drop', 'games.pgn', Buffer.from('1. h2e2 *\n\n1. c3c4 b7c7 *\n'));
  await waitForStatus(page, 'Games read: 2');
  await page.click('#annotate summary');
  for (const [index, text] of [['0', 'of game 1'], ['1', 'of game 2']]) {
    await page.selectOption('#games', index);
    await page.fill('#comment', text);
    await page.locator('#comment').blur();
  }
  const [name, text] = await save();
  assert.equal(name, 'games.pgn');
  assert.match(text, /\{of game 1\} 1\. C2=5 \*\n\n\[.*\n\n\{of game 2\} 1\. P7\+1 C2=3 \*\n\n$/s);
  await page.click('#new-game');
  const [ownName, ownText] = await save();
  assert.equal(ownName, 'game.pgn');
  assert.equal(ownText.match(/\[Game /g).length, 1);
}

// Without a font that has Chinese characters, letters name the pieces.
async function needsNoChineseFont(url) {
  const fonts = join(directory, 'fonts.conf');
  const latin = execFileSync('fc-match', ['-f', '%{file}', 'DejaVu Sans']).toString();
  if (!latin.includes('DejaVu')) { console.log('skipped: the font DejaVu is not installed'); return; }
  writeFileSync(fonts, `<fontconfig><dir>${dirname(latin)}</dir></fontconfig>`);
  const options = { executablePath: CHROMIUM, args: FLAGS, env: { ...process.env, FONTCONFIG_FILE: fonts } };
  const other = await chromium.launch(options);
  try {
    const page = await open(url, { browser: other, locale: 'zh-CN' });
    const shown = await page.locator('#board [data-square=h2]').textContent();
    assert.equal(await page.locator('#letters').inputValue(), 'latin');
    assert.equal(shown, 'C');
    assert.equal(await page.locator('#notation').inputValue(), 'wxf');
  } finally {
    await other.close();
  }
}

async function showsReviewFile() {
  writeFileSync(join(directory, 'game.pgn'), GAME);
  execFileSync(PROGRAM, ['review', 'game.pgn', '--depth', '3', '--html', 'game.html'], { cwd: directory });
  const page = await open(`file://${join(directory, 'game.html')}`, { locale: 'zh-CN' });
  assert.equal(await page.locator('#graph .ply').count(), 6);
  assert.equal(await page.locator('#graph [data-ply="0"] title').textContent(), '起始局面');
  assert.equal(await square(page, 'e0').getAttribute('aria-label'), 'e0，红帅');
  await page.locator('#graph [data-ply="2"]').click();
  assert.match(await status(page), /黑方 马８进７/);
  await page.keyboard.press('ArrowRight');
  assert.match(await status(page), /红方 马二进三/);
  assert.equal(await page.locator('#analyse').isVisible(), false);
  await checkAccessibility(page, 'review-file-zh-light');
  await page.reload();
  assert.match(await status(page), /红方 马二进三/);
  // The editor accepts only legal positions, as with a server.
  await page.click('summary >> text=棋谱');
  await page.click('#edit');
  await page.click('#clear');
  await page.click('#done');
  await waitForStatus(page, '局面不合法');
  await page.click('#fill');
  await page.click('#done');
  await waitForStatus(page, '红方走棋');
  await page.context().close();
}

// A proxy that serves another server below /club/. Returns its address.
function startProxy(target) {
  const proxy = createServer((incoming, outgoing) => {
    const path = incoming.url.replace(/^\/club\//, '/');
    // A new connection for each request, because the server may close a kept one just when it is used again.
    const options = { method: incoming.method, headers: incoming.headers, agent: false };
    const passed = forward(new URL(path, target), options, (response) => {
      outgoing.writeHead(response.statusCode, response.headers);
      response.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
    outgoing.on('close', () => passed.destroy());
  });
  children.push({ kill: () => proxy.closeAllConnections() || proxy.close() });
  return new Promise((resolve) => {
    proxy.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${proxy.address().port}/club/`));
  });
}

async function showsLibrary() {
  const token = 'Kq2vJ0s7yM1xT9bR';
  writeFileSync(join(directory, 'tokens'), `write anna ${token}\n`);
  const url = await start('serve', 'library.db', '--listen', '127.0.0.1:0', '--nodes', '2000', '--tokens', 'tokens');
  const root = await startProxy(url.replace('chessdb.php', ''));
  // `chuhe board` does not open a library as a game or book, and reports how to open it.
  for (const library of [['library.db'], ['--book', 'library.db']]) {
    const { status: code, stderr } = spawnSync(PROGRAM, ['board', '--no-browser', ...library], { cwd: directory, encoding: 'utf8' });
    assert.equal(code, 1);
    assert.match(stderr, /library\.db: .*(`--library library\.db`|`chuhe serve)/);
  }
  const page = await open(`${root}?${STALEMATE.replace('/R8/', '/R3p4/').replaceAll(' ', '_')}`);
  assert.equal(await pieceAt(page, 'a2'), 1);
  await page.goto(root);
  await page.waitForSelector('body[data-ready]');
  // Moves of the book are shown without a token.
  await page.waitForSelector('#knowledge button');
  await page.click('#queue');
  await waitForStatus(page, 'requested');
  // The result of the search appears without a reload.
  await page.waitForSelector('#library-moves button', { timeout: 120000 });
  await page.locator('#library-moves button').first().click();
  assert.equal(await moveCount(page), 1);
  await checkAccessibility(page, 'library-en-light');
  // Tablebases and files can be used without a token, too.
  await page.click('#game-panel summary');
  await page.fill('#paste', ENDING);
  await page.click('#read');
  await page.waitForFunction(() => /win in \d+ plies/.test(document.querySelector('#knowledge').textContent));
  assert.equal(await page.locator('#knowledge button').count(), 17);
  await transfer(page, 'drop', 'game.pgn', Buffer.from(GAME));
  await waitForMoves(page, 8);
  // The engine needs a token.
  assert.equal(await page.locator('#engine-panel').isVisible(), false);
  await page.click('#library-panel summary >> text=Token');
  await page.fill('#token', token);
  await page.click('#token-form button');
  await page.click('#analyse');
  await page.waitForSelector('#engine-lines li:nth-child(3)');
  await checkAccessibility(page, 'library-engine-en-light');
  await page.click('#analyse');
  await writesNotes(page, root);
  await uploadsFiles(page);
  await page.click('#library-panel summary >> text=Token');
  await page.fill('#token', '');
  await page.click('#token-form button');
  await page.waitForSelector('#engine-panel', { state: 'hidden' });
  assert.equal(await page.locator('#note-editor').isVisible(), false);
  assert.equal(await page.locator('#jobs-panel').isVisible(), false);
  await page.context().close();
}

// `chuhe board` with a library in a file. Its moves and notes can be used without a token.
async function showsOwnLibrary() {
  execFileSync(PROGRAM, ['cloud', 'fill', 'own.db', '--positions', '1', '--nodes', '1000'], { cwd: directory });
  const url = await start('board', '--no-browser', '--library', 'own.db');
  const page = await open(url, { locale: 'zh-CN' });
  assert.equal(await page.locator('#token-panel').isVisible(), false);
  await page.waitForFunction(() => document.querySelector('#library-line').textContent);
  // The line follows the language and its notation.
  for (const pattern of [/^主变：[\p{Script=Han}１-９ ]+$/u, /^Line: [-+=A-Z\d ]+$/, /^主变/]) {
    assert.match(await page.locator('#library-line').textContent(), pattern);
    await page.click('#language');
  }
  await page.click('#language');
  await page.locator('#library-moves button').first().click();
  await page.click('#note-editor summary');
  await page.fill('#note-comment', '常见的着法');
  await page.click('#note-form button');
  await waitForStatus(page, '已保存');
  await page.reload();
  await page.waitForFunction(() => document.querySelector('#library-note').textContent.includes('常见的着法'));
  await page.click('#analyse');
  await page.waitForSelector('#engine-lines li:nth-child(3)');
  await checkAccessibility(page, 'own-library-zh-light');
  // Messages of the server are in the language of the page.
  await page.click('#game-panel summary');
  await page.fill('#fen', 'rnbakabnr/9/9 w');
  await page.click('#position button');
  await waitForStatus(page, '有 3 行，应为 10 行');
  await page.setInputFiles('#file', { name: 'random', mimeType: 'application/octet-stream', buffer: Buffer.from([1, 2, 3, 4]) });
  await waitForStatus(page, '不是');
  await page.click('#analyse');
  await playsByLibrary(page, url);
  await page.context().close();
}

// The library plays only at the end of the current line, and only if the rules have not ended the game.
async function playsByLibrary(page, url) {
  await page.goto(`${url}#~h2e2h9g7@0`);
  await page.selectOption('#library-side', 'wb');
  await page.waitForTimeout(1000);
  assert.equal(await page.locator('#moves .current').count(), 0);
  await endsByRepetition(page, null);
  await page.goto(`${url}#~@0`);
  await waitForStatus(page, '循环反复');
  await page.waitForTimeout(1000);
  assert.equal(await moveCount(page), 0);
  await page.unroute('**/api/position*');
  await page.click('#new-game');
  await waitForMoves(page, 1);
  // If the query fails after a search was requested, the library stops playing, and the query can be repeated. The
  // library does not play in the meantime, because its query for the earlier game would count as the first one.
  await page.selectOption('#library-side', '');
  let tries = 0;
  await page.route('**/chessdb.php', (route) => {
    const action = new URLSearchParams(route.request().postData()).get('action');
    if (action === 'querybest' && tries++) return route.fulfill({ body: 'no JSON' });
    const moves = action === 'queryall' ? [{ uci: 'h2e2', score: '??' }] : [];
    return route.fulfill({ json: { status: 'ok', moves } });
  });
  await page.click('#new-game');
  await page.selectOption('#library-side', 'wb');
  await page.waitForSelector('#retry', { state: 'visible' });
  assert.equal(await page.inputValue('#library-side'), '');
}

// A writer annotates a move; readers see the note, but no private branch.
async function writesNotes(page, root) {
  const reader = await open(root);
  assert.equal(await reader.locator('#note-editor').isVisible(), false);
  await page.goto(`${root}#~h2e2@1`);
  await page.reload();
  await page.waitForSelector('#note-editor', { state: 'visible' });
  await page.click('#note-editor summary');
  assert.equal((await page.locator('#note-private').boundingBox()).width, 24);
  await page.fill('#note-name', '中炮');
  await page.fill('#note-comment', 'The most common <b>move</b>.');
  await page.selectOption('#note-verdict', '1');
  await page.selectOption('#note-position', '14');
  await page.click('#note-form button');
  await waitForStatus(page, 'saved');
  const text = () => page.locator('#library-note').textContent();
  assert.match(await text(), /^Note on C2=5! \+\/=: 中炮 · The most common <b>move<\/b>\. · anna, 2\d{3}-\d\d-\d\d$/);
  // The form keeps what is being written, and is filled from the note of another move.
  await page.fill('#note-comment', 'unfinished');
  await page.click('#queue');
  await page.waitForTimeout(1500);
  assert.equal(await page.inputValue('#note-comment'), 'unfinished');
  await keepsNote(page);
  await page.click('#back');
  assert.equal(await text(), '');
  await page.waitForSelector('#library-moves .comment');
  assert.match(await page.locator('#library-moves').textContent(), /C2=5! \+\/=.*中炮/s);
  await page.click('#next');
  await page.waitForFunction(() => document.querySelector('#note-comment').value.startsWith('The most'));
  await checkAccessibility(page, 'library-note-en-light');
  await reader.reload();
  await reader.waitForSelector('#library-moves .comment');
  await page.check('#note-private');
  await page.click('#note-form button');
  await page.waitForFunction(() => document.querySelector('#library-note').textContent.includes('private'));
  await reader.reload();
  await reader.waitForSelector('body[data-ready]');
  await reader.waitForTimeout(500);
  assert.equal(await reader.locator('#library-moves .comment').count(), 0);
  await reader.context().close();
  await page.uncheck('#note-private');
  await page.click('#note-form button');
  await page.waitForFunction(() => !document.querySelector('#library-note').textContent.includes('private'));
  // A glyph that the form does not offer is kept.
  const glyphs = (value) => page.evaluate(async ([board, value]) => {
    const headers = { Authorization: `Bearer ${sessionStorage.getItem('token')}` };
    const body = new URLSearchParams({ board, move: 'h2e2', comment: 'rare', glyphs: value || '' });
    if (value) await fetch('notes', { method: 'POST', body, headers });
    const found = await (await fetch(`notes?${new URLSearchParams({ board })}`, { headers })).json();
    return found.notes.find((note) => note.move === 'h2e2').glyphs;
  }, [START, value]);
  assert.deepEqual(await glyphs('1 14 40'), [1, 14, 40]);
  await page.click('#back');
  await page.click('#next');
  await page.waitForFunction(() => document.querySelector('#note-comment').value === 'rare');
  await page.selectOption('#note-verdict', '2');
  await page.click('#note-form button');
  await page.waitForFunction(() => document.querySelector('#library-note').textContent.includes('?'));
  assert.deepEqual(await glyphs(), [2, 14, 40]);
}

// A note cannot be saved before it has been loaded, so that an empty form does not replace it.
async function keepsNote(page) {
  let answer = null;
  const answered = new Promise((resolve) => { answer = resolve; });
  await page.route('**/notes?*', async (route) => {
    await answered;
    await route.continue();
  });
  for (const id of ['back', 'next']) await page.click(`#${id}`);
  assert.equal(await page.locator('#save-note').isDisabled(), true);
  answer();
  await page.waitForSelector('#save-note:enabled');
  assert.match(await page.inputValue('#note-comment'), /^The most/);
  await page.unroute('**/notes?*');
  // A failed query of the notes can be repeated. The reply has no error status, because that would be an error in the
  // console, which must stay empty.
  await page.route('**/notes?*', (route) => route.fulfill({ body: 'no JSON' }));
  for (const id of ['back', 'next']) await page.click(`#${id}`);
  await page.waitForSelector('#retry', { state: 'visible' });
  await page.unroute('**/notes?*');
  await page.click('#retry');
  await page.waitForSelector('#save-note:enabled');
  assert.match(await status(page), /to move$/);
  // A query that exceeds the rate limit can also be repeated.
  await page.route('**/chessdb.php', (route) => route.fulfill({ json: { status: 'rate limit exceeded' } }));
  for (const id of ['back', 'next']) await page.click(`#${id}`);
  await waitForStatus(page, 'Too many requests');
  await page.unroute('**/chessdb.php');
  await page.click('#retry');
  await page.waitForSelector('#retry', { state: 'hidden' });
  // The reply to a request for a search is not reported after a step to another position.
  const isRequest = (request) => request.postData()?.startsWith('action=queue&');
  await page.route('**/chessdb.php', async (route) => {
    if (!isRequest(route.request())) { await route.continue(); return; }
    await page.click('#back');
    await route.fulfill({ json: { status: 'ok' } });
  });
  await Promise.all([page.waitForResponse((response) => isRequest(response.request())), page.click('#queue')]);
  await page.waitForTimeout(300);
  assert.match(await status(page), /to move$/);
  await page.unroute('**/chessdb.php');
  await page.click('#next');
}

// Games from the starting position without some of its pawns. The job has 4,096 searches, and at most 400 of them are
// in the queue at the same time. The pawn on e3 stays between the kings.
function manyGames() {
  const rank = (pawn, missing) => Array.from({ length: 9 }, (_, file) => (file % 2 || (missing >> (file / 2)) & 1 ? '1' : pawn))
    .join('').replace(/1+/g, (gap) => gap.length);
  const moves = '1. a0a1 a9a8 2. i0i1 i9i8 3. a1b1 a8b8 4. i1h1 i8h8 *';
  return Array.from({ length: 1024 }, (_, missing) => [missing >> 5, missing & 31]).filter(([, red]) => !(red & 4))
    .map(([black, red]) => `rnbakabnr/9/1c5c1/${rank('p', black)}/9/9/${rank('P', red)}/1C5C1/9/RNBAKABNR w - - 0 1`)
    .map((fen) => `[FEN "${fen}"]\n\n${moves}\n\n`).join('');
}

// An uploaded file is searched; its progress is shown until the end.
async function uploadsFiles(page) {
  await page.click('#jobs-panel summary');
  await page.waitForSelector('#no-jobs:not([hidden])');
  await page.setViewportSize({ width: 320, height: 800 });
  await checkAccessibility(page, 'library-no-jobs-narrow');
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.selectOption('#job-priority', 'high');
  const upload = (name, text) => page.setInputFiles('#job-file', { name, mimeType: 'text/plain', buffer: Buffer.from(text) });
  await upload('games.pgn', '1. h2e2 h9g7 *\n\n1. c3c4 *\n');
  await waitForStatus(page, 'Job 1: 2 games, 3 searches');
  await page.waitForFunction(() => /3 of 3 · finished/.test(document.querySelector('#jobs').textContent), null, { timeout: 120000 });
  await checkAccessibility(page, 'library-jobs-en-light');
  // A job with many searches runs long enough to be canceled.
  await upload('list.pgn', manyGames());
  await waitForStatus(page, 'Job 2: 512 games, 4096 searches');
  await page.locator('#jobs li button').first().click();
  await page.waitForFunction(() => /canceled/.test(document.querySelector('#jobs').textContent));
  await upload('empty.txt', '');
  await waitForStatus(page, 'no game');
}

try {
  const url = await start('board', '--no-browser');
  const tests = {
    playsByMouse, playsFromRecord, endsMatches, asksBeforeLeavingMatch, dropsLateReplies, leavesEngineThinking, changesGames, keepsComments, keepsFinishedReview, playsByKeyboard, keepsFocus,
    playsByTouch, fitsWindows, keepsLanguage, showsOtherMedia, analyses, reviews, opensFiles, needsNoChineseFont, showsReviewFile, showsLibrary, showsOwnLibrary,
  };
  for (const [name, test] of Object.entries(tests)) {
    if (process.env.ONLY && process.env.ONLY !== name) continue;
    const began = Date.now();
    await test(url);
    console.log(`${name}: ${((Date.now() - began) / 1000).toFixed(1)} s`);
  }
  assert.deepEqual(problems, []);
} finally {
  await browser.close();
  for (const child of children) child.kill();
  rmSync(directory, { recursive: true });
}
