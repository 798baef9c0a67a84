import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { adjustPixels } from './adjusted-pixels.ts';
import { type Adjustments, TONES, UNADJUSTED } from './adjustments.ts';

/** The colour that a colour becomes. */
function adjust(color: readonly number[], over: Partial<Adjustments>): number[] {
  const data = Uint8Array.from(color);
  adjustPixels(data, color.length === 4 ? 4 : 3, { ...UNADJUSTED, ...over });
  return [...data];
}
const grey = (value: number) => [value, value, value];
const getLuminance = ([red, green, blue]: number[]) =>
  0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;

const tone = fc.integer({ min: -100, max: 100 });
const byte = fc.nat(255);
const adjustments = fc.record(Object.fromEntries(TONES.map((name) => [name, tone])));

test('without values every colour stays', () => {
  for (let value = 0; value < 256; value++) {
    const color = [value, 255 - value, (value * 7) % 256];
    expect(adjust(color, {})).toEqual(color);
    // By way of the tables, whose effect is none at the ends.
    expect(adjust(grey(value), { saturation: 100 })).toEqual(grey(value));
  }
});

test('exposure keeps black and white and brightens or darkens between', () => {
  for (const exposure of [30, 100]) {
    expect(adjust(grey(0), { exposure })).toEqual(grey(0));
    expect(adjust(grey(255), { exposure })).toEqual(grey(255));
    expect(adjust(grey(100), { exposure })[0]).toBeGreaterThan(100);
  }
  // Two stops less light: a quarter of white is 137 in sRGB.
  expect(adjust(grey(255), { exposure: -100 })).toEqual(grey(137));
});

test('contrast moves tones away from the middle, or to it', () => {
  expect(adjust(grey(64), { contrast: 50 })[0]).toBeLessThan(64);
  expect(adjust(grey(192), { contrast: 50 })[0]).toBeGreaterThan(192);
  expect(adjust(grey(64), { contrast: -50 })[0]).toBeGreaterThan(64);
  expect(adjust(grey(192), { contrast: -50 })[0]).toBeLessThan(192);
});

test('shadows and highlights change their own end more than the other', () => {
  const change = (value: number, over: Partial<Adjustments>) =>
    adjust(grey(value), over)[0]! - value;
  expect(change(40, { shadows: 100 })).toBeGreaterThan(10);
  expect(Math.abs(change(220, { shadows: 100 }))).toBeLessThan(3);
  expect(change(215, { highlights: -100 })).toBeLessThan(-10);
  expect(Math.abs(change(35, { highlights: -100 }))).toBeLessThan(3);
});

test('warm pictures have more red and less blue; a tint is magenta or green', () => {
  const [red, , blue] = adjust(grey(128), { warmth: 100 });
  expect([red! > 140, blue! < 118]).toEqual([true, true]);
  const [magenta, green] = adjust(grey(128), { tint: 100 });
  expect(magenta! - green!).toBeGreaterThan(12);
  expect(adjust(grey(128), { tint: -100 })[1]).toBeGreaterThan(128);
});

test('saturation -100 is grey of the same luminance, and 100 moves colours apart', () => {
  const [red, green, blue] = adjust([200, 80, 40], { saturation: -100 });
  expect([red, green]).toEqual([green, blue]);
  expect(Math.abs(red! - getLuminance([200, 80, 40]))).toBeLessThan(1);
  expect(adjust([150, 120, 110], { saturation: 100 })).toEqual([174, 114, 94]);
});

test('a brighter grey never becomes the darker one, whatever the values', () => {
  fc.assert(
    fc.property(byte, byte, adjustments, (one, other, over) => {
      const [dark, bright] = [Math.min(one, other), Math.max(one, other)];
      const [from, to] = [adjust(grey(dark), over), adjust(grey(bright), over)];
      expect(getLuminance(to)).toBeGreaterThanOrEqual(getLuminance(from) - 1);
    }),
  );
});

test('opacity stays, and every pixel is changed by its own colour alone', () => {
  const data = Uint8Array.from([10, 20, 30, 7, 200, 100, 50, 255]);
  const values = { ...UNADJUSTED, exposure: 40, warmth: -30 };
  adjustPixels(data, 4, values);
  expect([...data]).toEqual([
    ...adjust([10, 20, 30, 7], values),
    ...adjust([200, 100, 50, 255], values),
  ]);
  expect([data[3], data[7]]).toEqual([7, 255]);
});
