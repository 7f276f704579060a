// isolated-vm with a fresh isolate a run, through its synchronous calls, which are faster than the asynchronous ones.
// Node 20 and newer must be started with --no-node-snapshot.

import ivm from 'isolated-vm';
import { SNIPPET, measure } from './engine_loop.mjs';

await measure(() => {
  const isolate = new ivm.Isolate({ memoryLimit: 128 });
  const context = isolate.createContextSync();
  let out = '';
  context.global.setSync('write', new ivm.Callback((text) => { out += text; }));
  context.evalSync('globalThis.console = { log(...args) { write(args.join(" ") + "\\n"); } }');
  context.evalSync(SNIPPET);
  context.release();
  isolate.dispose();
  return out;
});
