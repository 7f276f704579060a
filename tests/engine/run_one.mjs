// One script from standard input in the reference engine, answered as one JSON object: the reference itself as a command,
// with which compare.py is tested.
//   node --stack-size=50000 tests/engine/run_one.mjs path/to/quickjs.wasm < script.js
import { readFileSync } from 'node:fs';
import { Engine } from './lib/engine.mjs';

const engine = new Engine(process.argv[2]);
engine.loadImage();
const { exit, stdout, stderr } = engine.run(readFileSync(0, 'utf8'));
process.stdout.write(`${JSON.stringify({ exitCode: exit, stdout: stdout.toString('base64'), stderr: stderr.toString('base64') })}\n`);
