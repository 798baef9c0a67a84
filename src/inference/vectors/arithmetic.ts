/** Returns the vector with unit length; a zero vector stays zero. */
export function normalize(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  const length = Math.sqrt(sum) || 1;
  return vector.map((value) => value / length);
}

/** Returns the cosine of two unit vectors. */
export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[at]!;
  return sum;
}

export function addScaled(to: Float32Array, vector: Float32Array, weight: number): void {
  for (let at = 0; at < to.length; at++) to[at] = to[at]! + vector[at]! * weight;
}

/** Returns the `count` greatest values and their indexes, greatest first. */
export function listGreatest(
  values: Float32Array,
  count: number,
): { readonly index: number; readonly value: number }[] {
  const order = [...values.keys()].sort((a, b) => values[b]! - values[a]!);
  return order.slice(0, count).map((index) => ({ index, value: values[index]! }));
}
