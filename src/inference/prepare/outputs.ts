import { readFields, memorySource, newMessage, type Source, toBytes } from '../onnx/protobuf.ts';

const GRAPH = 7;
const OUTPUT = 12;
const NAME = 1;

/**
 * Returns the ONNX model with these outputs only: unused ones are kept in memory until the end of a
 * run, and attention maps are many times larger than results.
 */
export function keepOutputs(model: Uint8Array, names: readonly string[]): Uint8Array {
  const source = memorySource(model);
  const parts: Uint8Array[] = [];
  let from = 0;
  let at = 0;
  for (const { field, start, end } of readFields(source)) {
    if (field === GRAPH) {
      parts.push(model.subarray(from, at));
      const graph = withoutOutputs(source, start, end, names);
      parts.push(toBytes(newMessage().bytes(GRAPH, graph)));
      from = end;
    }
    at = end;
  }
  return Buffer.concat([...parts, model.subarray(from)]);
}

function withoutOutputs(
  source: Source,
  start: number,
  end: number,
  names: readonly string[],
): Uint8Array {
  const parts: Uint8Array[] = [];
  let from = start;
  let at = start;
  for (const field of readFields(source, start, end)) {
    if (field.field === OUTPUT && !names.includes(readName(source, field.start, field.end))) {
      parts.push(source.read(from, at - from));
      from = field.end;
    }
    at = field.end;
  }
  return Buffer.concat([...parts, source.read(from, end - from)]);
}

function readName(source: Source, start: number, end: number): string {
  for (const { field, start: from, end: to } of readFields(source, start, end)) {
    if (field === NAME) return new TextDecoder().decode(source.read(from, to - from));
  }
  return '';
}
