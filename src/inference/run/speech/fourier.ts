/**
 * Writes |X(k)|² of `length` real numbers into `power`, for k = 0 … length / 2. Our own: Whisper's
 * length of 400 is no power of two, which small FFT libraries require.
 */
export type Fourier = (input: Float64Array, power: Float64Array) => void;

/**
 * The discrete Fourier transform, cut once: of a · b numbers it is b transforms of a numbers and a of
 * b (Cooley and Tukey). With 400 = 20 · 20 that is ten times less work than the formula, and no power
 * of two is needed. Not for two callers at once.
 */
export function openFourier(length: number): Fourier {
  const a = findDivisor(length);
  const b = length / a;
  // cos and sin of 2πk / length: every turn that is needed is one of them.
  const cos = Float64Array.from({ length }, (_, k) => Math.cos((2 * Math.PI * k) / length));
  const sin = Float64Array.from({ length }, (_, k) => Math.sin((2 * Math.PI * k) / length));
  const real = new Float64Array(length);
  const imaginary = new Float64Array(length);

  /** Number `column` of every b, transformed and turned: row `column` of the second step. */
  function first(input: Float64Array, column: number): void {
    for (let k = 0; k < a; k++) {
      let [re, im] = [0, 0];
      for (let n = 0; n < a; n++) {
        const value = input[b * n + column]!;
        const turn = (n * k * b) % length;
        re += value * cos[turn]!;
        im -= value * sin[turn]!;
      }
      const turn = column * k;
      const at = k * b + column;
      real[at] = re * cos[turn]! + im * sin[turn]!;
      imaginary[at] = im * cos[turn]! - re * sin[turn]!;
    }
  }

  return (input, power) => {
    for (let column = 0; column < b; column++) first(input, column);
    for (let k = 0; k <= length / 2; k++) {
      const row = (k % a) * b;
      const step = Math.floor(k / a) * a;
      let [re, im] = [0, 0];
      for (let n = 0, turn = 0; n < b; n++, turn = (turn + step) % length) {
        re += real[row + n]! * cos[turn]! + imaginary[row + n]! * sin[turn]!;
        im += imaginary[row + n]! * cos[turn]! - real[row + n]! * sin[turn]!;
      }
      power[k] = re * re + im * im;
    }
  };
}

/** The greatest that is not above the root. */
function findDivisor(length: number): number {
  let a = Math.floor(Math.sqrt(length));
  while (length % a !== 0) a -= 1;
  return a;
}
