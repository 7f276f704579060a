// quickjs-emscripten with a fresh runtime and context a run. `newContext` on the module makes both; making only a
// context on a shared runtime is no faster on the machine this was written on.

import { getQuickJS } from 'quickjs-emscripten';
import { SNIPPET, measure } from './engine_loop.mjs';

const quickjs = await getQuickJS();

function giveConsole(context, write) {
  const object = context.newObject();
  const log = context.newFunction('log', (...args) => write(args.map((arg) => context.dump(arg)).join(' ') + '\n'));
  context.setProp(object, 'log', log);
  context.setProp(context.global, 'console', object);
  log.dispose();
  object.dispose();
}

await measure(() => {
  const context = quickjs.newContext();
  let out = '';
  giveConsole(context, (text) => { out += text; });
  const result = context.evalCode(SNIPPET);
  if (result.error) {
    out = `error: ${JSON.stringify(context.dump(result.error))}`;
  }
  (result.error ?? result.value).dispose();
  context.dispose();
  return out;
});
