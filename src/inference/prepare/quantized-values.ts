import { createNode, type EditableGraph } from './editable-graph.ts';

/** The real value is (stored - zero) * scale, where `stored` is an unsigned integer of 8 bits. */
export type Encoding = { readonly scale: number; readonly zero: number };
export type Quantized = Encoding & { readonly name: string };

export type Range = readonly [min: number, max: number];
/** Smallest and largest value, by the name of the value. */
export type Ranges = ReadonlyMap<string, Range>;

export const MOST = 255;

/** Values beyond the range are stored as its ends. */
function toEncoding([min, max]: Range): Encoding {
  const [low, high] = [Math.min(0, min), Math.max(0, max)];
  const scale = (high - low) / MOST || 1;
  return { scale, zero: Math.round(-low / scale) };
}

/** Values of a graph that are stored in 8 bits. */
export type QuantizedValues = {
  /** Returns the encoding of a value that has a range. */
  findEncoding(name: string): Encoding | undefined;
  /** Returns a value that is stored in 8 bits, or has a range. */
  find(name: string | undefined): Quantized | undefined;
  /** Tells that a value is stored under another name. */
  define(name: string, value: Quantized): void;
  /** Stores a value that is computed as floats of the name `floats`. */
  add(name: string, floats: string, encoding: Encoding): void;
  /** Returns the name of its floats, for an operation that ONNX Runtime computes in integers. */
  toFloats(value: Quantized): string;
  /** Gives a value as floats to operations that know it by its name. */
  requireFloats(name: string): void;
};

/** New operations are added at the end of the graph. */
export function newQuantizedValues(graph: EditableGraph, ranges: Ranges): QuantizedValues {
  const stored = new Map<string, Quantized>();
  /** Stored values that are floats, too. */
  const floats = new Set<string>();
  const parameters = new Map<string, readonly [scale: string, zero: string]>();
  let count = 0;

  function getParameters({ scale, zero }: Encoding): readonly [scale: string, zero: string] {
    const key = `${scale} ${zero}`;
    const known = parameters.get(key);
    if (known) return known;
    const zeroName = graph.addIntegers(Uint8Array.of(zero), []);
    const added = [graph.addConstant([scale], []), zeroName] as const;
    parameters.set(key, added);
    return added;
  }

  const dequantize = (value: Quantized, to: string): void =>
    void graph.nodes.push(
      createNode('DequantizeLinear', [value.name, ...getParameters(value)], to),
    );

  return {
    findEncoding(name) {
      const range = ranges.get(name);
      return range && toEncoding(range);
    },
    find(name = '') {
      const encoding = stored.has(name) ? undefined : this.findEncoding(name);
      if (encoding) {
        this.add(name, name, encoding);
        floats.add(name);
      }
      return stored.get(name);
    },
    define: (name, value) => void stored.set(name, value),
    add(name, from, encoding) {
      const value = { ...encoding, name: `${name}_quantized` };
      graph.nodes.push(
        createNode('QuantizeLinear', [from, ...getParameters(encoding)], value.name),
      );
      stored.set(name, value);
    },
    toFloats(value) {
      const name = `dequantized_${count++}`;
      dequantize(value, name);
      return name;
    },
    requireFloats(name) {
      const value = stored.get(name);
      if (!value || floats.has(name)) return;
      dequantize(value, name);
      floats.add(name);
    },
  };
}
