// Opens the one function all prelude files live in; end.js closes it. Nothing declared between them is a global.
(function () {
'use strict';
