// The guest's console against what Node 20 printed for the same cases (golden.jsonl).
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { Engine } from '../lib/engine.mjs';
import { readCases, withoutFrames } from './cases.mjs';

const engine = new Engine(process.env.QUICKJS_WASM);
engine.loadImage();
const golden = new Map(readFileSync(new URL('golden.jsonl', import.meta.url), 'utf8').trim().split('\n')
  .map((line) => JSON.parse(line)).map((one) => [one.id, one]));

for (const { id, code } of readCases()) {
  test(id.slice(0, 120), () => {
    const shown = engine.run(code);
    const expected = golden.get(id);
    assert.notEqual(expected, undefined, 'no golden line: run generate.mjs with Node 20');
    assert.equal(withoutFrames(shown.stderr.toString()), expected.stderr);
    assert.equal(withoutFrames(shown.stdout.toString()), expected.stdout);
    assert.equal(shown.exit, 0);
  });
}
