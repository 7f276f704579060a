// Runs the corpus under Node with the engine module given, and prints a JSON line `{id, exit, stdout, stderr}` a script; the
// two texts are base64 of the exact bytes.
//   node tests/engine/reference.mjs path/to/quickjs.wasm [id prefix]
import { Worker, isMainThread, workerData } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';
import { Engine } from './lib/engine.mjs';
import { readCorpus } from './corpus.mjs';

/** Megabytes of native stack: the engine must raise its own RangeError before Node's stack ends. */
const NATIVE_STACK_MB = 64;

function main(wasm, prefix) {
  const engine = new Engine(wasm);
  engine.loadImage();
  for (const { id, code } of readCorpus()) {
    if (id.startsWith(prefix)) {
      const { exit, stdout, stderr } = engine.run(code);
      process.stdout.write(`${JSON.stringify({ id, exit, stdout: stdout.toString('base64'), stderr: stderr.toString('base64') })}\n`);
    }
  }
}

if (isMainThread) {
  const [wasm, prefix = ''] = process.argv.slice(2);
  if (wasm === undefined) {
    process.stderr.write('usage: node reference.mjs quickjs.wasm [id prefix]\n');
    process.exit(2);
  }
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { wasm, prefix }, resourceLimits: { stackSizeMb: NATIVE_STACK_MB } });
  worker.on('error', (error) => { throw error; });
} else {
  main(workerData.wasm, workerData.prefix);
}
