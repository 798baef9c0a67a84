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
