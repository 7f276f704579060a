// The corpus: one JSON object `{id, code}` a line, a file a category.
import { readFileSync, readdirSync } from 'node:fs';

const folder = new URL('corpus/', import.meta.url);

export function readCorpus() {
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl')).sort();
  return files.flatMap((name) => readFileSync(new URL(name, folder), 'utf8').trim().split('\n').map((line) => JSON.parse(line)));
}
