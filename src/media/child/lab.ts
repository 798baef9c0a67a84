/** White of the light that Lab is measured by (D50). */
const WHITE = [0.96422, 1, 0.82521] as const;
/** From XYZ of that light to linear sRGB. */
const TO_LINEAR = [
  [3.1338561, -1.6168667, -0.4906146],
  [-0.9787684, 1.9161415, 0.033454],
  [0.0719453, -0.2289914, 1.4052427],
] as const;

/** Returns the sRGB value, 0 to 255, of a linear one. */
export function toSrgb(linear: number): number {
  const value = Math.min(1, Math.max(0, linear || 0));
  const curved = value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055;
  return Math.round(255 * curved);
}

/** Replaces three planes of Lab by those of sRGB; `each` is the length of one. */
export function convertLab(planes: Uint8Array, each: number): void {
  for (let at = 0; at < each; at++) {
    const y = ((planes[at]! * 100) / 255 + 16) / 116;
    const x = y + (planes[each + at]! - 128) / 500;
    const z = y - (planes[2 * each + at]! - 128) / 200;
    const xyz = [x, y, z].map((value, index) => {
      const part = value > 6 / 29 ? value ** 3 : (value - 4 / 29) * 3 * (6 / 29) ** 2;
      return part * WHITE[index]!;
    });
    for (const [plane, row] of TO_LINEAR.entries()) {
      const linear = row[0] * xyz[0]! + row[1] * xyz[1]! + row[2] * xyz[2]!;
      planes[plane * each + at] = toSrgb(linear);
    }
  }
}
