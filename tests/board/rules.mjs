// Compares the legal moves and notations of the page with those of a file by the engine: node rules.mjs FILE.
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
  const { parseFen, writeFen, legalMoves, notate, whyIllegal } = await load('rules.js');
  const { decodeGame, encodeGame, writePgn } = await load('game.js');
  for (const { fen, moves } of JSON.parse(readFileSync(process.argv[2], 'utf8'))) {
    const position = parseFen(fen);
    assert.equal(writeFen(position), fen.split(' ').slice(0, 2).join(' '));
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
  // Every key of a text that the page uses has a text.
  const { hasText } = await load('texts.js');
  for (const name of readdirSync(directory).filter((file) => /\.(js|html)$/.test(file))) {
    const source = readFileSync(join(directory, name), 'utf8');
    for (const [, key] of source.matchAll(/(?:\bt\(|data-(?:text|label|hint)=|GameError\(|return )['"]([a-z][a-z ]*)['"]/g)) {
      const isOther = ['zh', 'en'].includes(key);
      assert(isOther || hasText(key), `${name}: ${key}`);
    }
  }
  for (const text of [
    '~@0', '~:a%7E:h2e2$2!53.2:b:(b2e2h9g7(b9c7))(c3c4)h9g7@3;Red=%E7%94%B2',
    '4k4/9/9/9/9/9/9/9/4R4/3K5_b_-_-_12_30~e9f9@1',
  ]) assert.equal(encodeGame(decodeGame(text)), text);
  for (const bad of ['~h2e9', '~(h2e2)', '~h2e2)', '~h2', 'x', '9/9_w', '~h2e2:%E4:']) {
    assert.throws(() => decodeGame(bad), undefined, bad);
  }
  const pgn = writePgn(decodeGame('~h2e2$2:b:(b2e2h9g7)h9g7@0;Result=1-0'), 'coordinates');
  assert.match(pgn, /^1\. H2-E2 \$2 \{b\} \(1\. B2-E2 H9-G7\) 1\.\.\. H9-G7 1-0$/m);
} finally {
  rmSync(directory, { recursive: true });
}
