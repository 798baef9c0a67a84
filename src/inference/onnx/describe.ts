import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { readFields, type Source } from './protobuf.ts';

/** `dims`: a number, or the name of an axis whose length may differ. */
export type ValueInfo = { readonly name: string; readonly dims: readonly (number | string)[] };
export type ModelInfo = {
  readonly inputs: readonly ValueInfo[];
  readonly outputs: readonly ValueInfo[];
};

/** Returns inputs and outputs of an ONNX file, without loading its weights. */
export function describeModel(path: string): ModelInfo {
  const file = openSync(path, 'r');
  try {
    return describe(fileSource(file));
  } finally {
    closeSync(file);
  }
}

export function describe(source: Source): ModelInfo {
  const inputs: ValueInfo[] = [];
  const outputs: ValueInfo[] = [];
  const constants = new Set<string>();
  for (const graph of readFields(source)) {
    if (graph.field !== 7) continue;
    for (const { field, start, end } of readFields(source, graph.start, graph.end)) {
      if (field === 11) inputs.push(readValueInfo(source, start, end));
      else if (field === 12) outputs.push(readValueInfo(source, start, end));
      else if (field === 5) constants.add(readName(source, start, end, 8));
    }
  }
  if (outputs.length === 0) throw new Error('Not an ONNX model');
  // Old files list their constants among the inputs.
  return { inputs: inputs.filter(({ name }) => !constants.has(name)), outputs };
}

function readValueInfo(source: Source, start: number, end: number): ValueInfo {
  let dims: (number | string)[] = [];
  for (const type of inside(source, start, end, 2)) {
    for (const tensor of inside(source, type.start, type.end, 1)) {
      for (const shape of inside(source, tensor.start, tensor.end, 2)) {
        dims = [...inside(source, shape.start, shape.end, 1)].map((dim) =>
          readDimension(source, dim.start, dim.end),
        );
      }
    }
  }
  return { name: readName(source, start, end, 1), dims };
}

function readDimension(source: Source, start: number, end: number): number | string {
  for (const { field, value, ...at } of readFields(source, start, end)) {
    if (field === 1) return value;
    if (field === 2) return readText(source, at.start, at.end);
  }
  return '?';
}

function* inside(source: Source, start: number, end: number, wanted: number) {
  for (const field of readFields(source, start, end)) if (field.field === wanted) yield field;
}

function readName(source: Source, start: number, end: number, wanted: number): string {
  for (const field of inside(source, start, end, wanted)) {
    return readText(source, field.start, field.end);
  }
  return '';
}

const readText = (source: Source, start: number, end: number) =>
  new TextDecoder().decode(source.read(start, end - start));

const WINDOW = 64 * 1024;

/** Reads in windows: the names lie between hundreds of megabytes of weights. */
function fileSource(file: number): Source {
  const { size } = fstatSync(file);
  let window = new Uint8Array(0);
  let from = 0;
  return {
    size,
    read(at, length) {
      if (at < from || at + length > from + window.length) {
        const fresh = new Uint8Array(Math.max(WINDOW, length));
        window = fresh.subarray(0, readSync(file, fresh, 0, fresh.length, at));
        from = at;
      }
      return window.subarray(at - from, at - from + length);
    },
  };
}
