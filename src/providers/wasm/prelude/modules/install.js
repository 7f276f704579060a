// Evaluates the modules once, before the image is frozen, and takes away what they were made from.
Promise.all([import('qjs:std'), import('qjs:os'), import('qjs:bjson')]).then(() => {
  delete globalThis.__plimsoll_services;
});
