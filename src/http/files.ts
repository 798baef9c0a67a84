import { noteBodySource } from './body.ts';
import { checkConditions, rangeStillValid, type Validators } from './conditions.ts';
import { errorBody } from './error-body.ts';
import { type ByteRange, parseRange } from './ranges.ts';

export { matchesEtag } from './conditions.ts';

export type Disposition = {
  readonly kind: 'inline' | 'attachment';
  /** As the owner knows it: any characters. */
  readonly fileName: string;
};

type Shown = Validators & {
  readonly type: string;
  readonly cacheControl?: string | undefined;
  readonly disposition?: Disposition | undefined;
};

export type FileReply = Shown & {
  readonly path: string;
  /** Length of the file in bytes. The file must not change while it is sent. */
  readonly size: number;
  /** Called when the file is gone, or only a part of it is left; the answer is 404 then. */
  readonly onGone?: (() => void) | undefined;
};

export type BytesReply = Shown & {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>> | undefined;
};

const PASSIVE = /^(?:image\/(?!svg)|video\/|audio\/|application\/(?:json|zip|octet-stream))/;
const LOCKED_IN = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/**
 * Answers with a file: conditions, one range or many, HEAD. Opens nothing: the listener reads the
 * file when it sends it, and answers 404 if it is gone.
 */
export function fileResponse(request: Request, file: FileReply): Response {
  const conditional = answerConditions(request, file);
  if (conditional) return conditional;
  const { path, size } = file;
  const headers = headersOf(file);
  headers.set('accept-ranges', 'bytes');
  // An uploaded SVG or HTML file opened in a tab must not run as a page of ours.
  if (!PASSIVE.test(file.type)) headers.set('content-security-policy', LOCKED_IN);

  const ranges = rangesOf(request, file);
  if (ranges === 'unsatisfiable') {
    headers.delete('content-disposition');
    headers.set('content-range', `bytes */${size}`);
    headers.set('content-type', 'application/json');
    const body = errorBody(request, 416, 'Range not satisfiable');
    return new Response(JSON.stringify(body), { status: 416, headers });
  }
  if (ranges.length > 1) return manyRanges(file, headers, ranges);

  const range = ranges[0] ?? { start: 0, end: size };
  headers.set('content-length', String(range.end - range.start));
  if (ranges.length === 1) headers.set('content-range', contentRange(range, size));
  const status = ranges.length === 1 ? 206 : 200;
  if (request.method === 'HEAD') return new Response(null, { status, headers });
  const body = Bun.file(path).slice(range.start, range.end);
  return noteBodySource(new Response(body, { status, headers }), {
    kind: 'file',
    path,
    ...range,
    onGone: file.onGone,
  });
}

/** The same for a body that is in memory. Ranges are not offered. */
export function bytesResponse(request: Request, reply: BytesReply): Response {
  const conditional = answerConditions(request, reply);
  if (conditional) return conditional;
  const headers = headersOf(reply);
  for (const [name, value] of Object.entries(reply.headers ?? {})) headers.set(name, value);
  headers.set('content-length', String(reply.bytes.length));
  if (request.method === 'HEAD') return new Response(null, { headers });
  return noteBodySource(new Response(reply.bytes, { headers }), {
    kind: 'bytes',
    bytes: reply.bytes,
  });
}

function rangesOf(request: Request, file: FileReply): readonly ByteRange[] | 'unsatisfiable' {
  const header = request.headers.get('range');
  // Range is defined for GET only: RFC 9110 14.2.
  if (header === null || request.method !== 'GET' || !rangeStillValid(request, file)) return [];
  const ranges = parseRange(header, file.size);
  return ranges === 'ignore' ? [] : ranges;
}

function answerConditions(request: Request, reply: Shown): Response | undefined {
  const status = checkConditions(request, reply);
  if (status === 412) {
    return Response.json(errorBody(request, 412, 'The file has changed'), { status: 412 });
  }
  if (status !== 304) return undefined;
  const headers = new Headers();
  setValidators(headers, reply);
  return new Response(null, { status: 304, headers });
}

function headersOf(reply: Shown): Headers {
  const headers = new Headers({
    'content-type': reply.type,
    'x-content-type-options': 'nosniff',
  });
  setValidators(headers, reply);
  if (reply.disposition) {
    headers.set('content-disposition', contentDisposition(reply.disposition));
  }
  return headers;
}

function setValidators(headers: Headers, { etag, lastModified, cacheControl }: Shown): void {
  if (etag !== undefined) headers.set('etag', etag);
  if (lastModified) headers.set('last-modified', lastModified.toUTCString());
  if (cacheControl !== undefined) headers.set('cache-control', cacheControl);
}

const contentRange = ({ start, end }: ByteRange, size: number) =>
  `bytes ${start}-${end - 1}/${size}`;

/** multipart/byteranges, RFC 9110 14.6. */
function manyRanges(file: FileReply, headers: Headers, ranges: readonly ByteRange[]): Response {
  const boundary = `part-${crypto.randomUUID()}`;
  const heads = ranges.map((range, index) =>
    Buffer.from(
      `${index === 0 ? '' : '\r\n'}--${boundary}\r\ncontent-type: ${file.type}\r\n` +
        `content-range: ${contentRange(range, file.size)}\r\n\r\n`,
    ),
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const length = ranges.reduce(
    (sum, { start, end }, index) => sum + heads[index]!.length + end - start,
    tail.length,
  );
  headers.set('content-type', `multipart/byteranges; boundary=${boundary}`);
  headers.set('content-length', String(length));

  async function* parts(): AsyncGenerator<Uint8Array> {
    for (const [index, { start, end }] of ranges.entries()) {
      yield heads[index]!;
      let left = end - start;
      for await (const chunk of Bun.file(file.path).slice(start, end).stream()) {
        left -= chunk.length;
        yield chunk;
      }
      if (left > 0) throw new Error('A file became shorter while it was sent');
    }
    yield tail;
  }
  return noteBodySource(new Response(streamOf(parts()), { status: 206, headers }), {
    kind: 'fileRanges',
    path: file.path,
    end: Math.max(...ranges.map((range) => range.end)),
    onGone: file.onGone,
  });
}

function streamOf(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return(undefined);
    },
  });
}

/** RFC 6266 with the name of RFC 8187, and a plain one for readers that do not know that. */
export function contentDisposition({ kind, fileName }: Disposition): string {
  const name = fileName.toWellFormed();
  const plain = name.replaceAll(/[^\u0020-\u007E]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const extended = plain === name ? '' : `; filename*=UTF-8''${encoded}`;
  return `${kind}; filename="${plain}"${extended}`;
}
