// Writes the golden files: what Node 20 prints for every case. Run it by hand with Node 20 after changing a case:
//   node tests/engine/inspect/generate.mjs
import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCases, withoutFrames } from './cases.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
if (!process.version.startsWith('v20.')) {
  throw new Error(`the golden files come from Node 20, this is ${process.version}`);
}

const cases = readCases();
const golden = cases.map(({ id, code }) => {
  const shown = captureConsole(code);
  return JSON.stringify({ id, stdout: withoutFrames(shown.stdout), stderr: withoutFrames(shown.stderr) });
});
writeFileSync(path.join(here, 'golden.jsonl'), `${golden.join('\n')}\n`);

/** Evaluates the code with a console of its own whose streams are strings. */
function captureConsole(code) {
  const shown = { stdout: '', stderr: '' };
  const stream = (name) => new Writable({ write(chunk, encoding, done) { shown[name] += chunk; done(); } });
  const console = new Console({ stdout: stream('stdout'), stderr: stream('stderr'), colorMode: false });
  const own = globalThis.console;
  const warn = process.emitWarning;
  process.emitWarning = (text) => { shown.stderr += `Warning: ${text}\n`; };
  globalThis.console = console;
  try {
    (0, eval)(code);
  } finally {
    globalThis.console = own;
    process.emitWarning = warn;
  }
  return shown;
}
