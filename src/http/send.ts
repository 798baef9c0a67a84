import { once } from 'node:events';
import { type FileHandle, readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { isSystemFault } from '../core/disk-errors.ts';
import { StorageUnavailable } from '../core/errors.ts';
import { findGuardedPath, openFile } from '../core/guarded-path.ts';
import { findFaultByFile } from '../storage/index.ts';
import { findBodySource, type FileRangesSource, type FileSource } from './body.ts';
import { selectEncoding, compress, DYNAMIC_ENCODINGS, MIN_COMPRESSED_BYTES } from './compress.ts';
import { endResponse } from './end-response.ts';
import type { Exchange } from './exchange.ts';
import { addVary, canCompress, type HeadOptions, toRawHeaders, weakenEtag } from './raw-headers.ts';
import type { StallTimer } from './stalls.ts';

/** Files up to this length, in bytes, are read at once. */
const WHOLE_FILE_BYTES = 256 * 1024;
const CHUNK_BYTES = 512 * 1024;
/** A stream whose chunks are ready is sent at once up to this length, in bytes. */
const READY_BYTES = 16 * 1024 * 1024;

export type SendOptions = HeadOptions & { readonly wait: StallTimer };

type Bytes = Uint8Array<ArrayBuffer>;

/** Sends the response and returns the number of body bytes. Throws when it cannot be completed. */
export async function sendResponse(
  exchange: Exchange,
  response: Response,
  options: SendOptions,
): Promise<number> {
  const source = findBodySource(response);
  if (exchange.incoming.method === 'HEAD' || response.status === 204 || response.status === 304) {
    return sendHead(exchange, response, options);
  }
  if (source?.kind === 'bytes') {
    return sendBytes(exchange, response, source.bytes as Bytes, options);
  }
  if (source?.kind === 'file') {
    return withFileErrors(exchange, source, () => sendFile(exchange, response, source, options));
  }
  if (source?.kind === 'fileRanges')
    await withFileErrors(exchange, source, () => requireLength(source));
  if (response.body === null) return sendBytes(exchange, response, EMPTY, options);
  return sendStream(exchange, response, response.body, options);
}

const EMPTY: Bytes = new Uint8Array(0);

function sendHead(exchange: Exchange, response: Response, options: SendOptions): number {
  const headers = toRawHeaders(exchange, response, options);
  if (canCompress(response)) addVary(headers);
  exchange.outgoing.writeHead(response.status, headers);
  endResponse(exchange);
  // Nobody reads the body of a HEAD response: cancel its stream.
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
  const headers = toRawHeaders(exchange, response, options, 'content-length');
  if (canCompress(response)) {
    addVary(headers);
    const accepted = exchange.incoming.headers['accept-encoding'] as string | undefined;
    const encoding =
      plain.length < MIN_COMPRESSED_BYTES ? undefined : selectEncoding(accepted, DYNAMIC_ENCODINGS);
    if (encoding) {
      const made = compress(plain, encoding);
      bytes = made instanceof Promise ? await made : made;
      headers.push('content-encoding', encoding);
      weakenEtag(headers);
    }
  }
  headers.push('content-length', String(bytes.length));
  exchange.outgoing.writeHead(response.status, headers);
  endResponse(exchange, bytes);
  // A long body stays in memory for a slow client: the stall timer ends a client that stopped reading.
  if (bytes.length > CHUNK_BYTES) await waitUntilFinished(exchange.outgoing, options.wait);
  return bytes.length;
}

async function waitUntilFinished(outgoing: ServerResponse, wait: StallTimer): Promise<void> {
  if (outgoing.writableFinished || outgoing.destroyed) return;
  wait.begin();
  await new Promise<void>((resolve) => {
    outgoing.once('finish', resolve);
    outgoing.once('close', resolve);
  });
  wait.end();
}

type FileBodySource = FileSource | FileRangesSource;

/**
 * Runs `work`. For file errors before anything was sent it throws FileUnavailable; StorageUnavailable when the disk
 * is at fault, which says nothing about the file.
 */
async function withFileErrors<T>(
  exchange: Exchange,
  source: FileBodySource,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (exchange.outgoing.headersSent || !isFileError(error)) throw error;
    await requireStoreOf(source.path, error as Error);
    const isGone = error instanceof FileTooShort || getErrorCode(error) === 'ENOENT';
    throw new FileUnavailable(source, isGone, error);
  }
}

async function requireStoreOf(path: string, error: Error): Promise<void> {
  const fault = isSystemFault(error) ? error.message : await findFaultByFile(path);
  if (fault !== undefined) throw new StorageUnavailable(fault, { cause: error });
}

async function requireLength(source: FileBodySource): Promise<void> {
  const file = await openFile(source.path);
  try {
    const found = await file.stat();
    if (!found.isFile() || found.size < source.end) throw createTooShortError(source);
  } finally {
    await file.close();
  }
}

/** The file is missing, truncated or unreadable, and nothing has been sent: becomes 404. */
export class FileUnavailable extends Error {
  readonly onGone: (() => void) | undefined;

  constructor({ path, onGone }: FileBodySource, isGone: boolean, cause: unknown) {
    super(`${path} cannot be sent`, { cause });
    this.onGone = isGone ? onGone : undefined;
  }
}

/** The file is shorter than recorded: power loss, restored backup or failing disk. */
class FileTooShort extends Error {}

/** Error codes of exhausted process resources, which say nothing about the file. */
const PROCESS_ERROR_CODES = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN']);

const getErrorCode = (error: unknown): string | undefined => {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? code : undefined;
};

function isFileError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = getErrorCode(error);
  return error instanceof FileTooShort || (code !== undefined && !PROCESS_ERROR_CODES.has(code));
}

const createTooShortError = ({ path, end }: FileBodySource) =>
  new FileTooShort(`${path} is shorter than ${end} bytes`);

async function sendFile(
  exchange: Exchange,
  response: Response,
  source: FileSource,
  options: SendOptions,
): Promise<number> {
  const { path, start, end } = source;
  const length = end - start;
  if (length <= WHOLE_FILE_BYTES && findGuardedPath(path) === undefined) {
    const bytes =
      start === 0 ? await readFile(path) : await Bun.file(path).slice(start, end).bytes();
    // The headers already announce the recorded length.
    if (bytes.length < length) throw createTooShortError(source);
    exchange.outgoing.writeHead(response.status, toRawHeaders(exchange, response, options));
    endResponse(exchange, bytes.length === length ? bytes : bytes.subarray(0, length));
    return length;
  }
  const file = await openFile(path);
  try {
    if ((await file.stat()).size < end) throw createTooShortError(source);
    exchange.outgoing.writeHead(response.status, toRawHeaders(exchange, response, options));
    let position = start;
    let next = readChunk(file, position, end);
    while (position < end) {
      const chunk = await next;
      position += chunk.length;
      // Reads ahead while the client takes the chunk.
      if (position < end) next = readChunk(file, position, end);
      // Marks a rejection as handled; it is thrown where `next` is awaited.
      next.catch(() => {});
      if (await writeChunk(exchange.outgoing, chunk, options.wait)) continue;
      await next.catch(() => {});
      return position - start;
    }
  } finally {
    await file.close();
  }
  endResponse(exchange);
  return length;
}

async function readChunk(file: FileHandle, position: number, end: number): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, end - position));
  const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
  if (bytesRead === 0) throw new Error('The file became shorter while it was sent');
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
  // The chunks of a text or byte body are all ready: send them at once, with Content-Length.
  while (length < READY_BYTES && (await isReady(next))) {
    const { done, value } = await next;
    if (done) return sendBytes(exchange, response, joinChunks(ready, length), options);
    ready.push(value);
    length += value.length;
    next = reader.read();
  }

  outgoing.writeHead(response.status, toRawHeaders(exchange, response, options));
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
  endResponse(exchange);
  return length;
}

/** Returns true when the promise is fulfilled, at the latest after one microtask. */
async function isReady(promise: Promise<unknown>): Promise<boolean> {
  if (Bun.peek.status(promise) === 'pending') await Promise.resolve();
  return Bun.peek.status(promise) === 'fulfilled';
}

function joinChunks(chunks: readonly Uint8Array[], length: number): Bytes {
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

/** Writes a chunk and waits for backpressure to end. Returns false when the client has disconnected. */
async function writeChunk(
  outgoing: ServerResponse,
  chunk: Uint8Array,
  wait: StallTimer,
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
