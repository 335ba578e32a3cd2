// Compares the legal moves, notations and PGN of the page with those in FILE, which the engine has written. Also tests
// the texts of games and the replies of servers. Usage: node rules.mjs FILE.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'chuhe-page-'));
try {
  // Node.js treats files named .js as modules only in a package of this type.
  cpSync(join(here, '../../src/page'), directory, { recursive: true });
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  const load = (name) => import(pathToFileURL(join(directory, name)));
  const { START, parseFen, writeFen, isLegal, legalMoves, notate, whyIllegal } = await load('rules.js');
  const { decodeGame, encodeGame, fullFen, writePgn } = await load('game.js');
  const { positions, games } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
  for (const { text, pgn } of games) {
    for (const [notation, expected] of Object.entries(pgn)) assert.equal(writePgn(decodeGame(text), notation), expected);
  }
  for (const { fen, moves } of positions) {
    const position = parseFen(fen);
    assert.equal(writeFen(position), fen.split(' ').slice(0, 2).join(' '));
    assert(isLegal(position), fen);
    assert.deepEqual(legalMoves(position).sort(), Object.keys(moves), fen);
    for (const [move, [chinese, wxf]] of Object.entries(moves)) {
      assert.equal(notate(position, move, 'chinese'), chinese, `${fen} ${move}`);
      assert.equal(notate(position, move, 'wxf'), wxf, `${fen} ${move}`);
    }
    for (let from = 0; from < 90; from += 7) {
      for (let to = 0; to < 90; to++) {
        const name = [from, to].map((n) => 'abcdefghi'[n % 9] + Math.floor(n / 9)).join('');
        assert.equal(whyIllegal(position, from, to) === null, name in moves, `${fen} ${name}`);
      }
    }
  }
  // No kings, two kings, a king, an advisor and a bishop on wrong squares, facing kings, a king that can be captured, and
  // 17 pieces.
  for (const fen of [
    '9/9/9/9/9/9/9/9/9/9 w', '3kk4/9/9/9/9/9/9/9/9/5K3 w', '9/9/9/3k5/9/9/9/9/9/4K4 w', '4k4/3a5/9/9/9/9/9/9/9/3K5 w',
    '4k4/2b6/9/9/9/9/9/9/9/3K5 w', '4k4/9/9/9/9/9/9/9/9/4K4 w', '4k4/9/9/9/9/9/9/9/4R4/3K5 w', `${START.replace('9', '8r')}`,
  ]) assert.equal(isLegal(parseFen(fen)), false, fen);
  for (const pocket of ['[]', '[-]']) assert.deepEqual(parseFen(START.replace(' ', `${pocket} `)), parseFen(START));
  assert.equal(parseFen(START.replace(' ', '[R] ')), null);
  // The counters of a position: moves since the last capture, and the number of the move.
  const counted = decodeGame('4k4/9/9/9/9/4p4/9/9/4R4/3K5_b_-_-_12_30~e9f9e1e4f9f8@1');
  const [third] = counted.node.children[0].children;
  assert.equal(fullFen(counted, counted.node), '5k3/9/9/9/9/4p4/9/9/4R4/3K5 w - - 13 31');
  assert.equal(fullFen(counted, third), '9/5k3/9/9/9/4R4/9/9/9/3K5 w - - 1 32');
  // Every text key that the page uses is defined. The codes of the languages look like keys.
  const { hasText } = await load('texts.js');
  for (const name of readdirSync(directory).filter((file) => /\.(js|html)$/.test(file))) {
    const source = readFileSync(join(directory, name), 'utf8');
    for (const [, key] of source.matchAll(/(?:\bt\(|data-(?:text|label|hint)=|GameError\(|return )['"]([a-z][a-z ]*)['"]/g)) {
      const isLanguage = ['zh', 'en'].includes(key);
      assert(isLanguage || hasText(key), `${name}: ${key}`);
    }
  }
  for (const text of [
    '~@0', '~:a%7E:h2e2$2!53.2:b:(b2e2h9g7(b9c7))(c3c4)h9g7@3;Red=%E7%94%B2',
    '4k4/9/9/9/9/9/9/9/4R4/3K5_b_-_-_12_30~e9f9@1', '~@0;Red%20Team=A%3BB', '~h2e2:me%40163%3B%20x:h9g7:a%401:@2',
  ]) assert.equal(encodeGame(decodeGame(text)), text);
  // Links that other programs have encoded.
  const tree = '4k4/9/9/9/9/9/9/9/4R4/3K5_b~e9f9:(a%7E%28%2528:e1e2(e1f1)@2;Red=%7E';
  for (const link of [
    encodeURIComponent(tree), encodeURIComponent(tree).replaceAll('~', '%7E'), tree.replace('~', '%7E'),
    tree.replaceAll('(', '%28').replaceAll(')', '%29'), tree.replaceAll('/', '%2F'),
  ]) assert.equal(encodeGame(decodeGame(link)), encodeGame(decodeGame(tree)), link);
  assert.equal(decodeGame(tree).root.children[0].comment, '(a~(%28');
  for (const bad of ['~h2e9', '~(h2e2)', '~h2e2)', '~h2', 'x', '9/9_w', '~h2e2:%E4:']) {
    assert.throws(() => decodeGame(bad), undefined, bad);
  }
  const pgn = writePgn(decodeGame('~h2e2$2:b:(b2e2h9g7)h9g7@0;Result=1-0'), 'coordinates');
  assert.match(pgn, /^1\. H2-E2 \$2 \{b\} \(1\. B2-E2 H9-G7\) 1\.\.\. H9-G7 1-0$/m);
  // Move numbers continue that of the FEN, escaped names of tags are decoded, and the starting position needs no FEN.
  const later = writePgn(decodeGame('4k4/9/9/9/9/9/9/9/4R4/3K5_b_-_-_12_30~e9f9e1e2@1;Red%5FTeam=A'), 'coordinates');
  assert.match(later, /^\[Red_Team "A"\]$/m);
  assert.match(later, /^30\.\.\. E9-F9 31\. E1-E2 \*$/m);
  // Tags of links with line breaks, quotes in names, without a name and with an unknown result.
  const odd = writePgn(decodeGame('~h2e2@1;Red=a%0A%22b%22;Ev%22ent=x;=y;Result=z'), 'coordinates');
  assert.equal(odd, '[Game "Chinese Chess"]\n[Red "a\\"b\\""]\n[Event "x"]\n[Result "*"]\n[Format "ICCS"]\n\n1. H2-E2 *\n\n');
  // Moves are wrapped at 240 bytes, because some programs read lines of at most 255. Comments are not broken.
  const shuffle = 'b0c2b9c7c2b0c7b9'.repeat(50);
  const long = writePgn(decodeGame(`~${shuffle}:${'a%20b%20'.repeat(50)}:@0`), 'chinese').split('\n');
  const [comments, others] = [true, false].map((isComment) => long.filter((line) => line.startsWith('{') === isComment));
  assert.deepEqual(comments, [`{${'a b '.repeat(50).trim()}}`]);
  assert(others.length > 20 && others.every((line) => Buffer.byteLength(line) <= 240));
  assert.equal(others.join(' ').match(/馬|马/g).length, 200);
  const start = 'rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR_w';
  assert.equal(encodeGame(decodeGame(`${start}_-_-_0_1~h2e2@1`)), '~h2e2@1');
  assert.equal(encodeGame(decodeGame(`${start}_-_-_0_9~@0`)), `${start}_-_-_0_9~@0`);
  // A review replaces the glyph of an earlier review, and keeps those of the user.
  const { copyReview } = await load('review.js');
  const { app, gameOfLink } = await load('study.js');
  app.game = decodeGame('~h2e2$1$14:own:h7e7$13$2:[%25eval 0.1,5] mistake (-12 %25) own:@0');
  copyReview(decodeGame('~h2e2!45:[%25eval 0.2,9]:h7e7$4!30:[%25eval 0.9,9] blunder (-30 %25):@0'));
  const [first, second] = [app.game.root.children[0], app.game.root.children[0].children[0]];
  assert.deepEqual([first.glyphs, first.comment], [[1, 14], 'own [%eval 0.2,9]']);
  assert.deepEqual([second.glyphs, second.comment], [[13, 4], 'own [%eval 0.9,9] blunder (-30 %)']);
  // Positions in links, of which other sites encode the slashes or append parameters.
  const position = '4k4/9/9/9/9/9/9/9/4R4/3K5%20b';
  for (const search of [position, position.replace('%20', '+'), position.replaceAll('/', '%2F'), `${position}&lang=1`]) {
    assert.equal(encodeGame(gameOfLink({ hash: '', search: `?${search}` })), '4k4/9/9/9/9/9/9/9/4R4/3K5_b~@0', search);
  }
  assert.equal(gameOfLink({ hash: '', search: '?lang=1&from=/' }), null);
  // The reason why a server has rejected a request.
  const { request } = await load('server.js');
  const { t } = await load('texts.js');
  for (const [status, text, reason] of [
    [503, '{"status":"the library is read-only"}', t('the library is read-only')],
    [503, 'the library is read-only\n', t('the library is read-only')],
    [503, '云库只读\n', '云库只读'],
    [503, '<html></html>', t('status 503')],
    [503, '{"status":"the library cannot be read or written"}', t('status 503')],
    [400, '{"error":"no engine"}', 'no engine'],
    [400, 'no note\n', 'no note'],
    [403, 'Forbidden\n', t('status 403')],
    [403, '没有权限\n', t('status 403')],
  ]) {
    globalThis.fetch = async () => new Response(text, { status });
    await assert.rejects(request('x'), { message: reason });
  }
} finally {
  rmSync(directory, { recursive: true });
}
