// Math.random, drawn from the host's random bytes. The engine's own generator is part of the frozen image and would repeat
// itself in every run. Bytes are fetched at the first use, few at first: a run that draws nothing pays nothing.

const FIRST_DRAW = 64;
const LARGEST_DRAW = 4096;

let randomWords = new Words32(0);
let randomAt = 0;
let randomEnd = 0;
let randomBytes = FIRST_DRAW;

function drawRandomWords() {
  randomWords = new Words32(hostRandom(randomBytes));
  randomAt = 0;
  randomEnd = randomBytes / 4;
  randomBytes = LARGEST_DRAW;
}

const { random } = {
  random() {
    if (randomAt === randomEnd) {
      drawRandomWords();
    }
    return ((randomWords[randomAt++] >>> 5) * 67108864 + (randomWords[randomAt++] >>> 6)) / 9007199254740992;
  },
};

defineHidden(Math, 'random', random);
