// The corpus as data: enough scripts, unique ids, and the same bytes in every run.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { Engine } from './lib/engine.mjs';
import { readCorpus } from './corpus.mjs';

const LEAST_SCRIPTS = 520;
const corpus = readCorpus();

test('there are enough scripts, each with an id of its own', () => {
  assert.ok(corpus.length >= LEAST_SCRIPTS, `${corpus.length} scripts`);
  assert.equal(new Set(corpus.map(({ id }) => id)).size, corpus.length);
  assert.ok(readdirSync(new URL('deadline/', import.meta.url)).length >= 11);
});

test('every script says something and says the same twice', () => {
  const engine = new Engine(process.env.QUICKJS_WASM);
  engine.loadImage();
  for (const { id, code } of corpus) {
    const first = engine.run(code);
    const second = engine.run(code);
    assert.deepEqual(first, second, id);
    assert.ok(first.exit !== 0 || first.stdout.length + first.stderr.length > 0, id);
    assert.ok(first.exit !== 134, `${id}: ${first.stderr}`);
    assert.ok(first.exit === 0 || id.startsWith('errors-') || id.startsWith('environment-'), `${id}: ${first.stderr}`);
  }
});
