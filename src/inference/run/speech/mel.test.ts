import { expect, test } from 'bun:test';
import { openFourier } from './fourier.ts';
import { FRAMES, melFilters, openLogMel, SAMPLE_RATE, WINDOW_SAMPLES } from './mel.ts';

/** The same noise each time, -0.5 to 0.5. */
function noise(count: number): Float64Array {
  let state = 1;
  return Float64Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  });
}

/** By the formula. */
function computePower(input: Float64Array, k: number): number {
  let [re, im] = [0, 0];
  for (const [n, value] of input.entries()) {
    re += value * Math.cos((2 * Math.PI * k * n) / input.length);
    im -= value * Math.sin((2 * Math.PI * k * n) / input.length);
  }
  return re * re + im * im;
}

test.each([400, 12, 7, 16])('a transform of %d numbers is what the formula says', (length) => {
  const input = noise(length);
  const power = new Float64Array(Math.floor(length / 2) + 1);
  openFourier(length)(input, power);
  for (const [k, value] of power.entries()) expect(value).toBeCloseTo(computePower(input, k), 8);
});

test('the pitches are those of Whisper: published weights of its 80 filters', () => {
  const filters = melFilters(80);
  expect(filters).toHaveLength(80);
  // librosa.filters.mel(sr=16000, n_fft=400, n_mels=80), the array that OpenAI publishes.
  expect(filters[0]).toMatchObject({ from: 1 });
  expect(filters[0]!.weights[0]).toBeCloseTo(0.02486259, 7);
  expect(filters[1]!.weights[0]).toBeCloseTo(0.001990821, 7);
  expect(filters[1]!.weights[1]).toBeCloseTo(0.02287177, 7);
  for (const { weights } of filters) expect(Math.max(...weights)).toBeGreaterThan(0);
});

test('each value of the spectrogram equals its definition', () => {
  const samples = Float32Array.from(noise(3 * SAMPLE_RATE));
  const mel = openLogMel(80)(samples);
  expect(mel).toHaveLength(80 * FRAMES);
  const computeLog = (frame: number, bin: number) => {
    const input = Float64Array.from({ length: 400 }, (_, at) => {
      const place = Math.abs(frame * 160 - 200 + at);
      return (samples[place] ?? 0) * (0.5 - 0.5 * Math.cos((2 * Math.PI * at) / 400));
    });
    const { from, weights } = melFilters(80)[bin]!;
    return Math.log10(
      [...weights].reduce((sum, w, at) => sum + w * computePower(input, from + at), 0),
    );
  };
  // The first frame looks back over the beginning, as into a mirror.
  for (const [frame, bin] of [
    [0, 3],
    [1, 40],
    [150, 79],
    [299, 0],
  ] as const) {
    expect(mel[bin * FRAMES + frame]).toBeCloseTo((computeLog(frame, bin) + 4) / 4, 4);
  }
});

test('a tone is loudest at its pitch; what follows the sound is as quiet as can be', () => {
  const tone = Float32Array.from({ length: SAMPLE_RATE }, (_, at) =>
    Math.sin((2 * Math.PI * 1000 * at) / SAMPLE_RATE),
  );
  const mel = openLogMel(80)(tone);
  const column = (frame: number) =>
    Array.from({ length: 80 }, (_, bin) => mel[bin * FRAMES + frame]!);
  const [during, after] = [column(50), column(2000)];
  const loudest = during.indexOf(Math.max(...during));
  // 1000 Hz is 15 of 45.2 mels, and the filters are 81 equal steps.
  expect(loudest).toBe(26);
  expect(new Set(after).size).toBe(1);
  expect(after[0]).toBeCloseTo(Math.max(...mel) - 2, 5);
});

test('audio longer than 30 s is cut, and mirrored at its end', () => {
  const mel = openLogMel(80)(Float32Array.from(noise(WINDOW_SAMPLES)));
  expect(mel.every(Number.isFinite)).toBe(true);
});
