// The measuring loop shared by the in-process engines. Protocol with the harness, one line each way: the program
// prints "ready" once it is loaded and warm, reads one line, runs for the stated time, and writes one duration in
// microseconds a line to the samples file. Several such programs start their measured part together that way.
//
// usage: node ENGINE.mjs SECONDS WARM_SECONDS SAMPLES_FILE

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';

export const SNIPPET = 'console.log(6*7)';
const EXPECTED = '42\n';

function loop(seconds, runOnce) {
  const samples = [];
  const end = performance.now() + seconds * 1000;
  let before = performance.now();
  while (before < end) {
    const out = runOnce();
    const after = performance.now();
    if (out !== EXPECTED) {
      throw new Error(`expected ${JSON.stringify(EXPECTED)}, the engine wrote ${JSON.stringify(out)}`);
    }
    samples.push((after - before) * 1000);
    before = after;
  }
  return samples;
}

// Runs `runOnce`, which must use a fresh context and return what the snippet wrote.
export async function measure(runOnce) {
  const [seconds, warmSeconds, file] = [Number(process.argv[2]), Number(process.argv[3]), process.argv[4]];
  loop(warmSeconds, runOnce);
  process.stdout.write('ready\n');
  await once(process.stdin, 'data');
  const samples = loop(seconds, runOnce);
  writeFileSync(file, samples.map((us) => us.toFixed(1)).join('\n') + '\n');
  process.exit(0);
}
