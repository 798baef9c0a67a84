// Ours: no library parses Range by RFC 9110 §14 for a file that is streamed in parts.

/** Byte positions, `end` exclusive. */
export type ByteRange = { readonly start: number; readonly end: number };

/** With more ranges the header is ignored: no player sends so many. */
const MAX_RANGES = 32;

/**
 * Returns the ranges of a Range header for a body of `size` bytes (RFC 9110 §14.1), 'ignore' to send the
 * whole body, or 'unsatisfiable' when no range overlaps the body.
 */
export function parseRange(
  header: string,
  size: number,
): readonly ByteRange[] | 'ignore' | 'unsatisfiable' {
  const [, list] = /^bytes=(.+)$/i.exec(header.trim()) ?? [];
  if (list === undefined) return 'ignore';
  const specs = list
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '');
  if (specs.length === 0 || specs.length > MAX_RANGES) return 'ignore';

  const ranges: ByteRange[] = [];
  for (const spec of specs) {
    const parsed = parseSpec(spec, size);
    if (parsed === 'ignore') return 'ignore';
    if (parsed) ranges.push(parsed);
  }
  if (ranges.length === 0) return 'unsatisfiable';
  // Overlapping ranges add up to more than the body.
  const total = ranges.reduce((sum, { start, end }) => sum + end - start, 0);
  return total > size ? 'ignore' : ranges;
}

function parseSpec(spec: string, size: number): ByteRange | undefined | 'ignore' {
  const match = /^(\d*)-(\d*)$/.exec(spec);
  if (!match) return 'ignore';
  const [, first = '', last = ''] = match;
  if (first === '') {
    if (last === '') return 'ignore';
    const start = Math.max(0, size - Number(last));
    return start < size ? { start, end: size } : undefined;
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return 'ignore';
  const end = last === '' ? size : Math.min(size, Number(last) + 1);
  return start < size ? { start, end } : undefined;
}
