import { AwsV4Signer } from 'aws4fetch';
import { readFile } from 'node:fs/promises';
import { StorageUnavailable } from '../core/errors.ts';
import { readFetchedText } from '../core/fetched-json.ts';
import type { S3Address } from '../core/s3-address.ts';

type S3Credentials = { readonly accessKeyId: string; readonly secretAccessKey: string };

/** Reads the first key pair of a file as the command line of AWS has it. Throws StorageUnavailable, which names no secret. */
async function readCredentials(path: string): Promise<S3Credentials> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new StorageUnavailable(`The credentials of the object store cannot be read: ${path}`, {
      cause: error,
    });
  }
  const find = (name: string) =>
    new RegExp(`^\\s*${name}\\s*=\\s*(\\S+)\\s*$`, 'm').exec(text)?.[1];
  const accessKeyId = find('aws_access_key_id');
  const secretAccessKey = find('aws_secret_access_key');
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    return { accessKeyId, secretAccessKey };
  }
  throw new StorageUnavailable(
    `${path} must have lines "aws_access_key_id = …" and "aws_secret_access_key = …"`,
  );
}

// A request is signed (AWS Signature Version 4) and tried again while the store is busy or away, until a deadline.

export type S3Request = {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Without the prefix of the address; undefined: the bucket. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Blob | string;
  /** The store copies so many bytes before it answers. */
  readonly copiedBytes?: number;
  /** Statuses that the caller understands; any other one but 2xx throws. */
  readonly expects?: readonly number[];
};

export type S3Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
};

const ATTEMPTS = 4;
/** For the answer to one attempt. */
const ANSWER_MS = 8000;
/** For all attempts: a request of a client should not take longer. */
const DEADLINE_MS = 25_000;
/** A body gets more time: 512 KiB a second. */
const SLOWEST_BYTES_PER_MS = 512;
const FIRST_PAUSE_MS = 200;

export type S3Connection = {
  /** Sends a request and reads the answer. Throws StorageUnavailable. */
  readonly send: (request: S3Request) => Promise<S3Answer>;
  /** Sends a request whose answer is long. The caller reads its body, or aborts. */
  readonly open: (request: S3Request) => Promise<S3Body>;
  /** Returns the path of an object, with its bucket. */
  readonly locate: (key: string) => string;
  /** Returns the address of an object with a signature: whoever has it may read the object. Throws StorageUnavailable. */
  readonly presign: (key: string, query: Readonly<Record<string, string>>) => Promise<string>;
};

type S3Body = { readonly response: Response; readonly abort: AbortController };

export function createConnection(
  address: S3Address,
  credentialsPath: string | undefined,
): S3Connection {
  let credentials: S3Credentials | undefined;

  async function sign(
    { method, key, query, headers }: S3Request,
    how: { readonly signQuery?: boolean } = {},
  ) {
    if (credentialsPath === undefined) {
      throw new StorageUnavailable('The object store needs --object-store-credentials');
    }
    credentials ??= await readCredentials(credentialsPath);
    const url = new URL(key === undefined ? address.url : `${address.url}/${address.prefix}${key}`);
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
    const { region } = address;
    const given = { method, url: url.href, headers: { ...headers }, service: 's3', region };
    return new AwsV4Signer({ ...given, ...credentials, ...how }).sign();
  }

  async function attempt<T>(request: S3Request, read: Read<T>): Promise<Attempt<T>> {
    const { url, headers } = await sign(request);
    const { method, body = null, copiedBytes = 0 } = request;
    const bytes = body instanceof Blob ? body.size : copiedBytes;
    const abort = new AbortController();
    const late = () => abort.abort(new Error('no answer in time'));
    const timer = setTimeout(late, ANSWER_MS + bytes / SLOWEST_BYTES_PER_MS);
    try {
      const { signal } = abort;
      const response = await fetch(url, { method, headers, body, signal, redirect: 'error' });
      const { status } = response;
      if ((status >= 200 && status < 300) || request.expects?.includes(status)) {
        return { isAnswered: true, value: await read({ response, abort }) };
      }
      return {
        isAnswered: false,
        status,
        refusal: describeRefusal(request, status, await readFetchedText(response, MAX_TEXT_BYTES)),
      };
    } finally {
      clearTimeout(timer);
    }
  }

  async function send<T>(request: S3Request, read: Read<T>): Promise<T> {
    const until = performance.now() + DEADLINE_MS;
    let cause: unknown;
    for (let tries = 1; tries <= ATTEMPTS; tries += 1) {
      try {
        const outcome = await attempt(request, read);
        if (outcome.isAnswered) return outcome.value;
        cause = new Error(outcome.refusal);
        // The key pair may have been replaced.
        if (outcome.status === 403) credentials = undefined;
        else if (!isTransient(outcome.status)) break;
      } catch (error) {
        if (error instanceof StorageUnavailable) throw error;
        cause = error;
      }
      const pause = FIRST_PAUSE_MS * 2 ** tries * (0.5 + Math.random());
      if (tries === ATTEMPTS || performance.now() + pause > until) break;
      await Bun.sleep(pause);
    }
    throw new StorageUnavailable(`The object store ${address.url} failed`, { cause });
  }

  return {
    send: (request) => send(request, readAnswer),
    open: (request) => send(request, async (body) => body),
    locate: (key) => `${new URL(address.url).pathname}/${address.prefix}${key}`,
    presign: async (key, query) =>
      (await sign({ method: 'GET', key, query }, { signQuery: true })).url.href,
  };
}

type Read<T> = (body: S3Body) => Promise<T>;

type Attempt<T> =
  | { readonly isAnswered: true; readonly value: T }
  | { readonly isAnswered: false; readonly status: number; readonly refusal: string };

/** A page of a list has a thousand keys. */
const MAX_TEXT_BYTES = 16 * 1024 * 1024;

const readAnswer: Read<S3Answer> = async ({ response }) => ({
  status: response.status,
  headers: response.headers,
  text: await readFetchedText(response, MAX_TEXT_BYTES),
});

const isTransient = (status: number): boolean => status >= 500 || status === 408 || status === 429;

/** The code of the store alone: the rest of its answer may name secrets. */
function describeRefusal({ method, key = '' }: S3Request, status: number, text: string): string {
  const code = /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? '';
  return `${method} ${key}: ${status} ${code}`.trimEnd();
}

// Reading of objects, and of their list.

/** Bytes from `start` to `end`, exclusive. */
export type ObjectRange = { readonly start: number; readonly end: number };

export type ListedObject = {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  readonly modifiedAt: Date;
};

export class ObjectMissing extends Error {
  override readonly name = 'ObjectMissing';
}

/** For the next bytes of a body. */
const IDLE_MS = 15_000;
/** Connections that break one after the other without a byte. */
const MAX_BREAKS = 3;

/** Yields a part of an object. A connection that breaks is opened again where it broke. */
export async function* readObject(
  connection: S3Connection,
  key: string,
  { start, end }: ObjectRange,
): AsyncGenerator<Uint8Array> {
  let position = start;
  let breaks = 0;
  while (position < end) {
    const body = await openRange(connection, key, { start: position, end });
    try {
      for await (const chunk of readBody(body)) {
        position += chunk.length;
        breaks = 0;
        yield chunk;
      }
    } catch (error) {
      breaks += 1;
      if (breaks === MAX_BREAKS) {
        throw new StorageUnavailable(`Reading ${key} broke off`, { cause: error });
      }
      continue;
    }
    if (position < end && (breaks += 1) === MAX_BREAKS) {
      throw new StorageUnavailable(`${key} ends ${end - position} bytes too early`);
    }
  }
}

async function openRange(
  { open }: S3Connection,
  key: string,
  { start, end }: ObjectRange,
): Promise<S3Body> {
  const headers = { range: `bytes=${start}-${end - 1}` };
  const body = await open({ method: 'GET', key, headers, expects: [404, 416] });
  const { status } = body.response;
  if (status === 206) return body;
  body.abort.abort();
  if (status === 404 || status === 416) throw new ObjectMissing(`${key} has no such bytes`);
  throw new StorageUnavailable(`The object store ignores ranges: ${status}`);
}

/** Yields the chunks. Whoever stops reading early closes the connection. */
async function* readBody({ response, abort }: S3Body): AsyncGenerator<Uint8Array> {
  const late = () => abort.abort(new Error('no more bytes in time'));
  const reader = response.body?.getReader();
  try {
    for (;;) {
      const timer = setTimeout(late, IDLE_MS);
      const next = await reader?.read().finally(() => clearTimeout(timer));
      if (!next || next.done) return;
      yield next.value;
    }
  } finally {
    abort.abort();
  }
}

/** Yields the objects by ListObjectsV2, with keys without the prefix of the address. */
export async function* listObjects(
  { send }: S3Connection,
  root: string,
  prefix: string,
): AsyncGenerator<ListedObject> {
  let token: string | undefined;
  do {
    const query = {
      'list-type': '2',
      prefix: `${root}${prefix}`,
      ...(token !== undefined && { 'continuation-token': token }),
    };
    const { text } = await send({ method: 'GET', query });
    for (const [, item = ''] of text.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
      yield {
        key: readTag(item, 'Key').slice(root.length),
        size: Number(readTag(item, 'Size')),
        modifiedAt: new Date(readTag(item, 'LastModified')),
      };
    }
    token = readTag(text, 'NextContinuationToken') || undefined;
  } while (token !== undefined);
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

const readTag = (xml: string, name: string): string =>
  (new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? '').replaceAll(
    /&(\w+);/g,
    (entity, word: string) => ENTITIES[word] ?? entity,
  );
