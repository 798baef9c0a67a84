// Ours: conditional requests by RFC 9110 §13 in the order of §13.2.2; libraries know ETag and date alone.

export type Validators = {
  /** With quotes, as on the wire: `"abc"` or `W/"abc"`. */
  readonly etag?: string | undefined;
  readonly lastModified?: Date | undefined;
};

const TAG = /(?:W\/)?"[^"]*"/g;

const parseEtags = (header: string): readonly string[] => header.match(TAG) ?? [];

const stripWeak = (tag: string) => (tag.startsWith('W/') ? tag.slice(2) : tag);

/** Returns true when If-None-Match lists the ETag (weak comparison). */
export function matchesEtag(header: string | null, etag: string): boolean {
  if (header === null) return false;
  if (header.trim() === '*') return true;
  return parseEtags(header).some((tag) => stripWeak(tag) === stripWeak(etag));
}

/** Returns the status that the preconditions require (RFC 9110 §13.2.2), undefined to proceed. */
export function checkConditions(
  request: Request,
  { etag, lastModified }: Validators,
): 304 | 412 | undefined {
  const { headers } = request;
  const ifMatch = headers.get('if-match');
  if (ifMatch !== null) {
    if (!hasStrongMatch(ifMatch, etag)) return 412;
  } else if (lastModified) {
    const limit = parseDate(headers.get('if-unmodified-since'));
    if (limit !== undefined && toSeconds(lastModified) > limit) return 412;
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
  const ifNoneMatch = headers.get('if-none-match');
  if (ifNoneMatch !== null) {
    return etag !== undefined && matchesEtag(ifNoneMatch, etag) ? 304 : undefined;
  }
  const since = parseDate(headers.get('if-modified-since'));
  return lastModified && since !== undefined && toSeconds(lastModified) <= since ? 304 : undefined;
}

/** Returns true when If-Range allows to serve a range (RFC 9110 §13.1.5). */
export function isRangeValid(request: Request, { etag, lastModified }: Validators): boolean {
  const header = request.headers.get('if-range');
  if (header === null) return true;
  if (header.includes('"')) return etag !== undefined && hasStrongMatch(header, etag);
  return lastModified !== undefined && parseDate(header) === toSeconds(lastModified);
}

function hasStrongMatch(header: string, etag: string | undefined): boolean {
  if (header.trim() === '*') return true;
  if (etag === undefined || etag.startsWith('W/')) return false;
  return parseEtags(header).includes(etag);
}

const toSeconds = (date: Date) => Math.floor(date.getTime() / 1000);

function parseDate(header: string | null): number | undefined {
  if (header === null) return undefined;
  const time = Date.parse(header);
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000);
}

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
