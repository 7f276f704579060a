// Math.random. The engine's own generator is part of the frozen image and would repeat itself in every run. This one (sfc32)
// takes its seed from the host at the first use in a run: a run that draws nothing pays nothing.

let randomSeeded = false;
let randomA = 0;
let randomB = 0;
let randomC = 0;
let randomCounter = 0;

function seedRandom() {
  const seed = new Words32(hostRandom(16));
  randomA = seed[0] | 0;
  randomB = seed[1] | 0;
  randomC = seed[2] | 0;
  randomCounter = seed[3] | 0;
  randomSeeded = true;
}

const { random } = {
  random() {
    if (!randomSeeded) {
      seedRandom();
    }
    const counter = randomCounter;
    const high = ((randomA + randomB) | 0) + counter | 0;
    const a = randomB ^ (randomB >>> 9);
    const b = (randomC + (randomC << 3)) | 0;
    const c = ((randomC << 21 | randomC >>> 11) + high) | 0;
    const low = ((a + b) | 0) + (counter + 1) | 0;
    randomA = b ^ (b >>> 9);
    randomB = (c + (c << 3)) | 0;
    randomC = ((c << 21 | c >>> 11) + low) | 0;
    randomCounter = (counter + 2) | 0;
    return ((high >>> 5) * 67108864 + (low >>> 6)) / 9007199254740992;
  },
};

defineHidden(Math, 'random', random);
