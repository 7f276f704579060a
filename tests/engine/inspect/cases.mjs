// The inspection cases: what is written in the text files, as scripts.
import { readFileSync } from 'node:fs';

const lines = (name) => readFileSync(new URL(name, import.meta.url), 'utf8').split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

/** Every case as `{id, code}`; the id is the file and the text of the case. */
export function readCases() {
  const wrap = (file, make) => lines(file).map((text) => ({ id: `${file}: ${text}`, code: `(() => { ${make(text)} })()` }));
  return [
    ...wrap('cases.txt', (text) => `console.log((${text}))`),
    ...wrap('format_cases.txt', (text) => `console.log(${text})`),
    ...wrap('console_cases.txt', (text) => text),
    ...wrap('web_cases.txt', (text) => text),
  ];
}

/** Without stack frames, which differ from engine to engine: each run of frame lines becomes one mark. */
export function withoutFrames(text) {
  return text.replace(/(\n *(at |\.\.\. \d+ lines matching)[^\n]*?(?= \{\n|\n|$))+/g, '\n    <frames>');
}
