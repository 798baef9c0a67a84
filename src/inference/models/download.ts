import { createReadStream, existsSync, mkdirSync, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The progress of the whole file, in bytes; the total is undefined where the server does not tell it. */
export type Progress = (bytes: number, total: number | undefined) => void;
export type DownloadOptions = {
  readonly onProgress?: Progress | undefined;
  readonly signal?: AbortSignal | undefined;
  /** They are for the server of the URL only: redirects are errors with them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A longer file is refused with DownloadTooLarge. */
  readonly maxBytes?: number;
  readonly attempts?: number;
  /** Sends the requests; the global one by default. */
  readonly fetch?: SendRequest | undefined;
};
export type SendRequest = (url: string, init: RequestInit) => Promise<Response>;

/** A download is aborted when so many milliseconds have brought fewer bytes than that, unless it is over. */
const STALL_MS = 60_000;
const STALL_BYTES = 16 * 1024;
const ATTEMPTS = 4;
const HTTP_PARTIAL = 206;

/**
 * Downloads a file to `target`, resuming `<target>.part`. `check` validates the whole file before
 * the rename.
 */
export async function download(
  url: string,
  target: string,
  check: (path: string, headers: Headers) => Promise<void>,
  options: DownloadOptions = {},
): Promise<void> {
  const part = `${target}.part`;
  mkdirSync(dirname(target), { recursive: true });
  for (let isContinued = existsSync(part); ; isContinued = false) {
    const headers = await fetchAll(url, part, options);
    try {
      await check(part, headers);
      return await rename(part, target);
    } catch (error) {
      // A wrong file is deleted; one that was resumed is downloaded once more.
      await rm(part, { force: true });
      if (!isContinued) throw error;
    }
  }
}

async function fetchAll(url: string, part: string, options: DownloadOptions): Promise<Headers> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await fetchRest(url, part, options);
    } catch (error) {
      options.signal?.throwIfAborted();
      const isFinal = error instanceof RequestRefused || error instanceof DownloadTooLarge;
      if (isFinal || attempt === (options.attempts ?? ATTEMPTS)) throw error;
      await Bun.sleep(500 * 2 ** attempt);
    }
  }
}

/** The server answered with an error: another attempt would not help. */
export class RequestRefused extends Error {
  override readonly name = 'Refused';
  readonly status: number;

  constructor(url: string, { status }: Response) {
    super(`${url}: status ${status}`);
    this.status = status;
  }
}

/** The file is longer than it may be. */
export class DownloadTooLarge extends Error {
  override readonly name = 'DownloadTooLarge';
}

async function fetchRest(
  url: string,
  part: string,
  { onProgress, signal, headers, maxBytes = Infinity, fetch: send = fetch }: DownloadOptions,
): Promise<Headers> {
  const have = existsSync(part) ? statSync(part).size : 0;
  const stalled = new AbortController();
  const timer = setTimeout(() => stalled.abort(new Error('The server stopped sending')), STALL_MS);
  let unseen = 0;
  try {
    const response = await send(url, {
      headers: { ...headers, ...(have > 0 && { range: `bytes=${have}-` }) },
      redirect: headers ? 'error' : 'follow',
      signal: signal ? AbortSignal.any([signal, stalled.signal]) : stalled.signal,
    });
    // 416: the file is complete, or of other bytes, which the check detects.
    if (response.status === 416) return response.headers;
    if (!response.ok) throw new RequestRefused(url, response);
    const isRest = response.status === HTTP_PARTIAL;
    const file = await open(part, isRest ? 'a' : 'w');
    let written = isRest ? have : 0;
    const length = Number(response.headers.get('content-length') ?? Number.NaN);
    const total = Number.isNaN(length) ? undefined : written + length;
    try {
      for await (const chunk of response.body ?? []) {
        unseen += chunk.length;
        if (unseen >= STALL_BYTES) {
          timer.refresh();
          unseen = 0;
        }
        written += chunk.length;
        if (written > maxBytes) throw new DownloadTooLarge(`${url}: more than ${maxBytes} bytes`);
        await file.write(chunk);
        onProgress?.(written, total);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    return response.headers;
  } finally {
    clearTimeout(timer);
  }
}

/** Registries of npm state this digest. */
export async function computeSha512(path: string): Promise<Buffer> {
  const hasher = new Bun.CryptoHasher('sha512');
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    hasher.update(chunk as Uint8Array);
  }
  return hasher.digest();
}
