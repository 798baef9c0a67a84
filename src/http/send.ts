import { once } from 'node:events';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { bodySourceOf, type FileRangesSource, type FileSource } from './body.ts';
import {
  acceptedEncoding,
  compress,
  isCompressible,
  LIVE_ENCODINGS,
  MIN_COMPRESSED_BYTES,
  weakTag,
} from './compress.ts';
import type { Exchange } from './exchange.ts';
import type { PeerWait } from './stalls.ts';

/** A file up to this length is read in one piece. */
const WHOLE_FILE_BYTES = 256 * 1024;
const CHUNK_BYTES = 512 * 1024;
/** A body that is ready without waiting is sent in one piece up to this length. */
const READY_BYTES = 16 * 1024 * 1024;

export type SendOptions = { readonly closing: boolean; readonly wait: PeerWait };

type Bytes = Uint8Array<ArrayBuffer>;

/** Writes the answer and returns the length of its body. Throws if that cannot be completed. */
export async function sendResponse(
  exchange: Exchange,
  response: Response,
  options: SendOptions,
): Promise<number> {
  const source = bodySourceOf(response);
  if (exchange.incoming.method === 'HEAD' || response.status === 204 || response.status === 304) {
    return sendHead(exchange, response, options);
  }
  if (source?.kind === 'bytes') {
    return sendBytes(exchange, response, source.bytes as Bytes, options);
  }
  if (source?.kind === 'file') {
    return onFile(exchange, source, () => sendPart(exchange, response, source, options));
  }
  if (source?.kind === 'fileRanges') await onFile(exchange, source, () => requireLength(source));
  if (response.body === null) return sendBytes(exchange, response, EMPTY, options);
  return sendStream(exchange, response, response.body, options);
}

const EMPTY: Bytes = new Uint8Array(0);

function sendHead(exchange: Exchange, response: Response, options: SendOptions): number {
  const headers = rawHeaders(exchange, response, options);
  if (mayCompress(response)) addVary(headers);
  exchange.outgoing.writeHead(response.status, headers);
  exchange.outgoing.end();
  // The body of an answer to HEAD is never read; a stream must learn that.
  void response.body?.cancel().catch(() => {});
  return 0;
}

async function sendBytes(
  exchange: Exchange,
  response: Response,
  plain: Bytes,
  options: SendOptions,
): Promise<number> {
  let bytes: Uint8Array = plain;
  const headers = rawHeaders(exchange, response, options, 'content-length');
  if (mayCompress(response)) {
    addVary(headers);
    const accepted = exchange.incoming.headers['accept-encoding'] as string | undefined;
    const encoding =
      plain.length < MIN_COMPRESSED_BYTES ? undefined : acceptedEncoding(accepted, LIVE_ENCODINGS);
    if (encoding) {
      const made = compress(plain, encoding);
      bytes = made instanceof Promise ? await made : made;
      headers.push('content-encoding', encoding);
      weakenTag(headers);
    }
  }
  headers.push('content-length', String(bytes.length));
  exchange.outgoing.writeHead(response.status, headers);
  exchange.outgoing.end(bytes);
  // A long body waits in memory for a slow client: do not wait for one that has gone to sleep.
  if (bytes.length > CHUNK_BYTES) await finished(exchange.outgoing, options.wait);
  return bytes.length;
}

async function finished(outgoing: ServerResponse, wait: PeerWait): Promise<void> {
  if (outgoing.writableFinished || outgoing.destroyed) return;
  wait.begin();
  await new Promise<void>((resolve) => {
    outgoing.once('finish', resolve);
    outgoing.once('close', resolve);
  });
  wait.end();
}

type FileBody = FileSource | FileRangesSource;

/** Throws FileUnavailable for what is wrong with the file before anything was sent. */
async function onFile<T>(exchange: Exchange, source: FileBody, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (exchange.outgoing.headersSent || !isFileFault(error)) throw error;
    if (error instanceof FileTooShort || codeOf(error) === 'ENOENT') source.onGone?.();
    throw new FileUnavailable(`${source.path} cannot be sent`, { cause: error });
  }
}

async function requireLength(source: FileBody): Promise<void> {
  const file = await open(source.path, 'r');
  try {
    const found = await file.stat();
    if (!found.isFile() || found.size < source.end) throw tooShort(source);
  } finally {
    await file.close();
  }
}

/** A file is missing, damaged or cannot be read, and nothing of the answer has been sent: 404. */
export class FileUnavailable extends Error {}

/** Shorter than its record says: a power cut, a restored backup or a failing disk. */
class FileTooShort extends Error {}

/** These say that the process is short of something, and nothing about the file. */
const OUR_FAULTS = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN']);

const codeOf = (error: unknown): string | undefined => {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? code : undefined;
};

function isFileFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  return error instanceof FileTooShort || (code !== undefined && !OUR_FAULTS.has(code));
}

const tooShort = ({ path, end }: FileBody) =>
  new FileTooShort(`${path} is shorter than ${end} bytes`);

async function sendPart(
  exchange: Exchange,
  response: Response,
  source: FileSource,
  options: SendOptions,
): Promise<number> {
  const { path, start, end } = source;
  const length = end - start;
  if (length <= WHOLE_FILE_BYTES) {
    const bytes =
      start === 0 ? await readFile(path) : await Bun.file(path).slice(start, end).bytes();
    // The length was promised in the headers, by who knew the file when it was written.
    if (bytes.length < length) throw tooShort(source);
    exchange.outgoing.writeHead(response.status, rawHeaders(exchange, response, options));
    exchange.outgoing.end(bytes.length === length ? bytes : bytes.subarray(0, length));
    return length;
  }
  const file = await open(path, 'r');
  try {
    if ((await file.stat()).size < end) throw tooShort(source);
    exchange.outgoing.writeHead(response.status, rawHeaders(exchange, response, options));
    let position = start;
    let next = readChunk(file, position, end);
    while (position < end) {
      const chunk = await next;
      position += chunk.length;
      // The disk works while the client takes what it has.
      if (position < end) next = readChunk(file, position, end);
      // Its failure is met when it is awaited; until then it is nobody's.
      next.catch(() => {});
      if (await writeChunk(exchange.outgoing, chunk, options.wait)) continue;
      await next.catch(() => {});
      return position - start;
    }
  } finally {
    await file.close();
  }
  exchange.outgoing.end();
  return length;
}

async function readChunk(file: FileHandle, position: number, end: number): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, end - position));
  const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
  if (bytesRead === 0) throw new Error('A file became shorter while it was sent');
  return buffer.subarray(0, bytesRead);
}

async function sendStream(
  exchange: Exchange,
  response: Response,
  body: ReadableStream<Uint8Array>,
  options: SendOptions,
): Promise<number> {
  const { outgoing } = exchange;
  const reader = body.getReader();
  const ready: Uint8Array[] = [];
  let length = 0;
  let next = reader.read();
  // A body made of text or bytes has every chunk ready: send it in one piece, with its length.
  while (length < READY_BYTES && (await isReady(next))) {
    const { done, value } = await next;
    if (done) return sendBytes(exchange, response, joined(ready, length), options);
    ready.push(value);
    length += value.length;
    next = reader.read();
  }

  outgoing.writeHead(response.status, rawHeaders(exchange, response, options));
  outgoing.flushHeaders();
  try {
    for (const chunk of ready) {
      if (!(await writeChunk(outgoing, chunk, options.wait))) return length;
    }
    for (;;) {
      const { done, value } = await next;
      if (done) break;
      length += value.length;
      if (!(await writeChunk(outgoing, value, options.wait))) return length;
      next = reader.read();
    }
  } finally {
    void next.catch(() => {});
    void reader.cancel().catch(() => {});
  }
  outgoing.end();
  return length;
}

/** True if it is settled, or will be without anything from outside. */
async function isReady(promise: Promise<unknown>): Promise<boolean> {
  if (Bun.peek.status(promise) === 'pending') await Promise.resolve();
  return Bun.peek.status(promise) === 'fulfilled';
}

function joined(chunks: readonly Uint8Array[], length: number): Bytes {
  const [only] = chunks;
  if (chunks.length === 1 && only) return only as Bytes;
  const all = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    all.set(chunk, offset);
    offset += chunk.length;
  }
  return all;
}

/** Waits while the client is slower than we are. False: it has gone away. */
async function writeChunk(
  outgoing: ServerResponse,
  chunk: Uint8Array,
  wait: PeerWait,
): Promise<boolean> {
  if (outgoing.destroyed || outgoing.closed) return false;
  if (outgoing.write(chunk)) return true;
  const stop = new AbortController();
  const { signal } = stop;
  wait.begin();
  try {
    await Promise.race([once(outgoing, 'drain', { signal }), once(outgoing, 'close', { signal })]);
  } finally {
    wait.end();
    stop.abort();
  }
  return !outgoing.destroyed;
}

/** Names and values in turn, as writeHead takes them: each Set-Cookie stays a line of its own. */
function rawHeaders(
  exchange: Exchange,
  response: Response,
  { closing }: SendOptions,
  without?: string,
): string[] {
  const raw: string[] = [];
  // oxlint-disable-next-line no-array-for-each -- iterating would allocate a pair per header
  response.headers.forEach((value, name) => {
    if (name === 'set-cookie' || name === without) return;
    raw.push(name, value);
  });
  if (response.headers.has('set-cookie')) {
    for (const cookie of response.headers.getSetCookie()) raw.push('set-cookie', cookie);
  }
  if (!response.headers.has('x-content-type-options')) {
    raw.push('x-content-type-options', 'nosniff');
  }
  // JSON is what somebody has, or why somebody may not: no cache keeps it without being told to.
  if (!response.headers.has('cache-control') && isJson(response)) {
    raw.push('cache-control', 'no-store');
  }
  raw.push('x-correlation-id', exchange.correlationId);
  if (closing || exchange.awaitsContinue) raw.push('connection', 'close');
  return raw;
}

const isJson = ({ headers }: Response): boolean =>
  /^application\/(?:[\w.-]+\+)?json/.test(headers.get('content-type') ?? '');

const mayCompress = ({ status, headers }: Response): boolean =>
  status !== 206 &&
  isCompressible(headers.get('content-type')) &&
  !headers.has('content-encoding') &&
  !headers.get('cache-control')?.includes('no-transform');

function addVary(raw: string[]): void {
  const index = raw.indexOf('vary');
  if (index < 0) raw.push('vary', 'accept-encoding');
  else if (!/accept-encoding|\*/i.test(raw[index + 1]!)) raw[index + 1] += ', accept-encoding';
}

function weakenTag(raw: string[]): void {
  const index = raw.indexOf('etag');
  if (index >= 0) raw[index + 1] = weakTag(raw[index + 1]!);
}
