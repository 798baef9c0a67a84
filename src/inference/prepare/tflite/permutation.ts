/** Returns the values of a tensor with its axes in another order. */
export function permute(
  { values, shape }: { readonly values: Float32Array; readonly shape: readonly number[] },
  order: readonly number[],
): Float32Array {
  const strides = shape.map((_, axis) => shape.slice(axis + 1).reduce((all, dim) => all * dim, 1));
  const target = order.map((axis) => shape[axis]!);
  const at = target.map(() => 0);
  const result = new Float32Array(values.length);
  for (let index = 0; index < result.length; index++) {
    let from = 0;
    for (let axis = 0; axis < at.length; axis++) from += at[axis]! * strides[order[axis]!]!;
    result[index] = values[from]!;
    for (let axis = at.length - 1; axis >= 0; axis--) {
      at[axis]! += 1;
      if (at[axis]! < target[axis]!) break;
      at[axis] = 0;
    }
  }
  return result;
}
