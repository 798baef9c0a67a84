import { type Disposition, formatContentDisposition } from '../core/content-disposition.ts';
import { findGuardedPath, openFile } from '../core/guarded-path.ts';
import { setBodySource } from './body.ts';
import {
  checkConditions,
  isRangeValid,
  type Validators,
  type ByteRange,
  parseRange,
} from './conditions.ts';
import { errorBody } from './error-body.ts';
import { isHead } from './exchange.ts';

export { matchesEtag } from './conditions.ts';

type ReplyMetadata = Validators & {
  readonly type: string;
  readonly cacheControl?: string | undefined;
  readonly disposition?: Disposition | undefined;
};

/** A file, or what reads a part of something that is none. */
export type ReplySource =
  { readonly path: string } | { readonly read: (range: ByteRange) => AsyncGenerator<Uint8Array> };

export type FileReply = ReplyMetadata &
  ReplySource & {
    /** In bytes. The file must not change while it is sent. */
    readonly size: number;
    /** A short-lived address at which clients other than the page fetch the same bytes; undefined: they are sent. */
    readonly location?: string | undefined;
    /** Called when the file is missing or truncated, which becomes 404. */
    readonly onGone?: (() => void) | undefined;
  };

export type BytesReply = ReplyMetadata & {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>> | undefined;
};

const INERT_TYPES = /^(?:image\/(?!svg)|video\/|audio\/|application\/(?:json|zip|octet-stream))/;
const SANDBOX_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/**
 * Returns a file with support for preconditions, single and multiple ranges and HEAD. Opens nothing: the
 * listener reads the file when it sends it, and sends 404 if the file is missing.
 */
export function fileResponse(request: Request, file: FileReply): Response {
  const conditional = respondToConditions(request, file);
  if (conditional) return conditional;
  if (file.location !== undefined && canFollow(request)) return redirect(file.location);
  const { size } = file;
  const headers = createHeaders(file);
  headers.set('accept-ranges', 'bytes');
  // An uploaded SVG or HTML file opened in a tab must not run scripts on this origin.
  if (!INERT_TYPES.test(file.type)) headers.set('content-security-policy', SANDBOX_POLICY);

  const ranges = getRanges(request, file);
  if (ranges === 'unsatisfiable') {
    headers.delete('content-disposition');
    headers.set('content-range', `bytes */${size}`);
    headers.set('content-type', 'application/json');
    const body = errorBody(request, 416, 'Range not satisfiable');
    return new Response(JSON.stringify(body), { status: 416, headers });
  }
  if (ranges.length > 1) return multipartResponse(file, headers, ranges);

  const range = ranges[0] ?? { start: 0, end: size };
  headers.set('content-length', String(range.end - range.start));
  if (ranges.length === 1) headers.set('content-range', formatContentRange(range, size));
  const status = ranges.length === 1 ? 206 : 200;
  if (isHead(request)) return new Response(null, { status, headers });
  if (!('path' in file)) return new Response(toStream(file.read(range)), { status, headers });
  const { path } = file;
  const body =
    findGuardedPath(path) === undefined
      ? Bun.file(path).slice(range.start, range.end)
      : toStream(readRange(path, range));
  return setBodySource(new Response(body, { status, headers }), {
    kind: 'file',
    path,
    ...range,
    onGone: file.onGone,
  });
}

/** The page shows and fetches nothing from elsewhere (its Content-Security-Policy), but a browser may navigate there. */
const canFollow = ({ method, headers }: Request): boolean =>
  method === 'GET' && (headers.get('sec-fetch-dest') ?? 'document') === 'document';

const redirect = (location: string): Response =>
  new Response(null, { status: 302, headers: { location, 'cache-control': 'private, no-store' } });

/** Like fileResponse, for a body in memory and without ranges. */
export function bytesResponse(request: Request, reply: BytesReply): Response {
  const conditional = respondToConditions(request, reply);
  if (conditional) return conditional;
  const headers = createHeaders(reply);
  for (const [name, value] of Object.entries(reply.headers ?? {})) headers.set(name, value);
  headers.set('content-length', String(reply.bytes.length));
  if (isHead(request)) return new Response(null, { headers });
  const { bytes } = reply;
  const body = bytes.length < UNCOPIED_BYTES ? bytes : toUncopiedBody(bytes);
  return setBodySource(new Response(body, { headers }), { kind: 'bytes', bytes });
}

/** From this length on, the copy that a Response makes of its bytes costs more than a stream: 0.2 ms of 800 kB. */
const UNCOPIED_BYTES = 64 * 1024;

/** Returns a body that is read only where the listener does not send the source of the response. */
const toUncopiedBody = (bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(bytes);
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );

function getRanges(request: Request, file: FileReply): readonly ByteRange[] | 'unsatisfiable' {
  const header = request.headers.get('range');
  // Range is defined for GET only: RFC 9110 §14.2.
  if (header === null || isHead(request) || !isRangeValid(request, file)) return [];
  const ranges = parseRange(header, file.size);
  return ranges === 'ignore' ? [] : ranges;
}

function respondToConditions(request: Request, reply: ReplyMetadata): Response | undefined {
  const status = checkConditions(request, reply);
  if (status === 412) {
    return Response.json(errorBody(request, 412, 'The file has changed'), { status: 412 });
  }
  if (status !== 304) return undefined;
  const headers = new Headers();
  setValidators(headers, reply);
  return new Response(null, { status: 304, headers });
}

function createHeaders(reply: ReplyMetadata): Headers {
  const headers = new Headers({
    'content-type': reply.type,
    'x-content-type-options': 'nosniff',
  });
  setValidators(headers, reply);
  if (reply.disposition) {
    headers.set('content-disposition', formatContentDisposition(reply.disposition));
  }
  return headers;
}

function setValidators(
  headers: Headers,
  { etag, lastModified, cacheControl }: ReplyMetadata,
): void {
  if (etag !== undefined) headers.set('etag', etag);
  if (lastModified) headers.set('last-modified', lastModified.toUTCString());
  if (cacheControl !== undefined) headers.set('cache-control', cacheControl);
}

const formatContentRange = ({ start, end }: ByteRange, size: number) =>
  `bytes ${start}-${end - 1}/${size}`;

/** Returns multipart/byteranges (RFC 9110 §14.6). */
function multipartResponse(
  file: FileReply,
  headers: Headers,
  ranges: readonly ByteRange[],
): Response {
  const boundary = `part-${crypto.randomUUID()}`;
  const bodyParts = ranges.map((range, index) => ({
    range,
    head: Buffer.from(
      `${index === 0 ? '' : '\r\n'}--${boundary}\r\ncontent-type: ${file.type}\r\n` +
        `content-range: ${formatContentRange(range, file.size)}\r\n\r\n`,
    ),
  }));
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const length = bodyParts.reduce(
    (sum, { range: { start, end }, head }) => sum + head.length + end - start,
    tail.length,
  );
  headers.set('content-type', `multipart/byteranges; boundary=${boundary}`);
  headers.set('content-length', String(length));

  async function* parts(): AsyncGenerator<Uint8Array> {
    for (const { range, head } of bodyParts) {
      yield head;
      yield* 'path' in file ? readRange(file.path, range) : file.read(range);
    }
    yield tail;
  }
  const response = new Response(toStream(parts()), { status: 206, headers });
  if (!('path' in file)) return response;
  return setBodySource(response, {
    kind: 'fileRanges',
    path: file.path,
    end: Math.max(...ranges.map((range) => range.end)),
    onGone: file.onGone,
  });
}

const CHUNK_BYTES = 64 * 1024;

async function* readRange(path: string, { start, end }: ByteRange): AsyncGenerator<Uint8Array> {
  const file = await openFile(path);
  try {
    for (let position = start; position < end;) {
      const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, end - position));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
      if (bytesRead === 0) throw new Error('The file became shorter while it was sent');
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** Nothing is opened before the stream is read. */
function toStream(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  const source: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return(undefined);
    },
  };
  return new ReadableStream(source, { highWaterMark: 0 });
}
