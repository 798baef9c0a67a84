import { createHash, createHmac } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseS3Address } from '../../src/core/s3-address.ts';
import type { Settings } from '../../src/core/settings.ts';

// A small S3 store in memory, for tests that need one without installing one: signatures are checked, objects can be
// read by range and written in parts, and it fails as it is told. `make test-cluster` runs the tests of the contract
// (src/storage/object-store.test.ts) against Ceph.

const KEY_ID = 'test-key';
const SECRET = 'test-secret-of-the-store';
const PAGE = 100;
/** Every part but the last has at least so many. */
const SMALLEST_PART_BYTES = 5 * 1024 ** 2;

export type Fault = (
  request: Request,
  key: string,
) => Response | Promise<Response | undefined> | undefined;

type Stored = { readonly bytes: Uint8Array<ArrayBuffer>; readonly modifiedAt: Date };

export type S3Server = {
  readonly url: string;
  /** A file with the key pair. */
  readonly credentials: string;
  /** Settings of a server that keeps its files there. */
  readonly settings: Pick<Settings, 'objectStore' | 'objectStoreCredentials'>;
  readonly objects: Map<string, Stored>;
  /** Every request: method and key. */
  readonly requests: string[];
  /** Returns an answer instead of that of the store; undefined: the store answers. */
  fault: Fault | undefined;
  stop(): Promise<void>;
};

export function startS3Server({ bucket = 'photos', port = 0 } = {}): S3Server {
  const folder = mkdtempSync(join(tmpdir(), 's3-'));
  const credentials = join(folder, 'credentials');
  writeFileSync(
    credentials,
    `[default]\naws_access_key_id = ${KEY_ID}\naws_secret_access_key = ${SECRET}\n`,
  );
  // Programs that tests start as root run as another user.
  chmodSync(folder, 0o755);
  chmodSync(credentials, 0o644);
  const objects = new Map<string, Stored>();
  const uploads = new Map<string, Map<number, Uint8Array<ArrayBuffer>>>();
  const state = { fault: undefined as Fault | undefined };
  const requests: string[] = [];

  const server = Bun.serve({
    port,
    hostname: '127.0.0.1',
    maxRequestBodySize: 1024 ** 3,
    async fetch(request) {
      const url = new URL(request.url);
      const [, name, ...rest] = url.pathname.split('/');
      const key = decodeURIComponent(rest.join('/'));
      requests.push(`${request.method} ${key}`);
      const failed = await state.fault?.(request, key);
      if (failed) return failed;
      const body = new Uint8Array(await request.arrayBuffer());
      const refusal = findRefusal(request, url, body);
      if (refusal) return fail(...refusal);
      if (name !== bucket) return fail(404, 'NoSuchBucket');
      if (url.searchParams.has('uploads') || url.searchParams.has('uploadId')) {
        return answerParts({ request, url, key, body, objects, uploads });
      }
      if (request.method === 'GET' && key === '') return list(objects, url);
      return withHeaders(answerObject({ request, key, body, objects }), url);
    },
  });
  const url = `http://127.0.0.1:${server.port}/${bucket}`;
  return {
    url,
    credentials,
    settings: { objectStore: parseS3Address(url), objectStoreCredentials: credentials },
    objects,
    requests,
    get fault() {
      return state.fault;
    },
    set fault(fault) {
      state.fault = fault;
    },
    async stop() {
      await server.stop(true);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const fail = (status: number, code: string) =>
  new Response(`<Error><Code>${code}</Code><Message>no</Message></Error>`, { status });

const toTag = (bytes: Uint8Array) => `"${sha256(bytes).slice(0, 32)}"`;

const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex');

/** Returns why a request is not one of the key pair, or has other bytes than it says. */
function findRefusal(
  request: Request,
  url: URL,
  body: Uint8Array,
): readonly [number, string] | undefined {
  const { headers, method } = request;
  if (url.searchParams.has('X-Amz-Signature')) return findLinkRefusal(request, url);
  const given = /Credential=([^/]+)\/(\S+), ?SignedHeaders=(\S+), ?Signature=(\w+)/.exec(
    headers.get('authorization') ?? '',
  );
  if (!given) return [403, 'AccessDenied'];
  const [, id, scope = '', signed = '', signature] = given;
  const payload = headers.get('x-amz-content-sha256') ?? '';
  const query = [...url.searchParams]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .toSorted()
    .join('&');
  const lines = signed.split(';').map((name) => `${name}:${headers.get(name)}\n`);
  const canonical = [method, url.pathname, query, lines.join(''), signed, payload].join('\n');
  const expected = computeSignature(headers.get('x-amz-date') ?? '', scope, canonical);
  if (id !== KEY_ID || signature !== expected) return [403, 'SignatureDoesNotMatch'];
  const isOther = payload !== 'UNSIGNED-PAYLOAD' && payload !== sha256(body);
  return isOther ? [400, 'XAmzContentSHA256Mismatch'] : undefined;
}

function computeSignature(date: string, scope: string, canonical: string): string {
  const toSign = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
  const key = scope
    .split('/')
    .reduce<Uint8Array | string>(
      (last, part) => createHmac('sha256', last).update(part).digest(),
      `AWS4${SECRET}`,
    );
  return createHmac('sha256', key).update(toSign).digest('hex');
}

/** Returns why the address of an object was not made by the key pair, or is over. */
function findLinkRefusal(request: Request, url: URL): readonly [number, string] | undefined {
  const get = (name: string) => url.searchParams.get(`X-Amz-${name}`) ?? '';
  const [id, ...scope] = get('Credential').split('/');
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join('&');
  const lines = [request.method, url.pathname, query, `host:${url.host}\n`, 'host'];
  const canonical = [...lines, 'UNSIGNED-PAYLOAD'].join('\n');
  const expected = computeSignature(get('Date'), scope.join('/'), canonical);
  if (id !== KEY_ID || get('Signature') !== expected) return [403, 'SignatureDoesNotMatch'];
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(get('Date')) ?? [];
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return at + Number(get('Expires')) * 1000 < Date.now() ? [403, 'AccessDenied'] : undefined;
}

/** RFC 3986 §2.3. */
const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /['()*!]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );

type ObjectCall = {
  readonly request: Request;
  readonly key: string;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly objects: Map<string, Stored>;
};

function answerObject({ request, key, body, objects }: ObjectCall): Response {
  const found = objects.get(key);
  if (request.method === 'PUT') {
    if (found && request.headers.get('if-none-match') === '*') {
      return fail(412, 'PreconditionFailed');
    }
    objects.set(key, { bytes: body, modifiedAt: new Date() });
    return new Response(null, { headers: { etag: toTag(body) } });
  }
  if (request.method === 'DELETE') {
    objects.delete(key);
    return new Response(null, { status: 204 });
  }
  if (!found) return fail(404, 'NoSuchKey');
  const { bytes } = found;
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get('range') ?? '') ?? [];
  if (first === undefined) return new Response(bytes);
  if (Number(first) >= bytes.length) return fail(416, 'InvalidRange');
  const part = bytes.slice(Number(first), Number(last) + 1);
  const range = `bytes ${first}-${Number(first) + part.length - 1}/${bytes.length}`;
  return new Response(part, { status: 206, headers: { 'content-range': range } });
}

/** Gives an answer the headers that its address asks for. */
function withHeaders(response: Response, { searchParams }: URL): Response {
  for (const [name, value] of searchParams) {
    if (name.startsWith('response-')) response.headers.set(name.slice('response-'.length), value);
  }
  return response;
}

type PartsCall = ObjectCall & {
  readonly url: URL;
  readonly uploads: Map<string, Map<number, Uint8Array<ArrayBuffer>>>;
};

function answerParts({ request, url, key, body, objects, uploads }: PartsCall): Response {
  if (url.searchParams.has('uploads')) {
    const id = crypto.randomUUID();
    uploads.set(id, new Map());
    return new Response(`<Result><UploadId>${id}</UploadId></Result>`);
  }
  const id = url.searchParams.get('uploadId')!;
  const parts = uploads.get(id);
  if (!parts) return fail(404, 'NoSuchUpload');
  if (request.method === 'PUT') {
    const source = request.headers.get('x-amz-copy-source');
    const copied = objects.get(source?.split('/').slice(2).join('/') ?? '');
    if (source !== null && !copied) return fail(404, 'NoSuchKey');
    const bytes = copied?.bytes ?? body;
    parts.set(Number(url.searchParams.get('partNumber')), bytes);
    const etag = toTag(bytes);
    return copied
      ? new Response(
          `<CopyPartResult><ETag>${etag.replaceAll('"', '&quot;')}</ETag></CopyPartResult>`,
        )
      : new Response(null, { headers: { etag } });
  }
  if (request.method === 'DELETE') {
    uploads.delete(id);
    return new Response(null, { status: 204 });
  }
  const named = [
    ...new TextDecoder()
      .decode(body)
      .replaceAll('&quot;', '"')
      .matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]+)</g),
  ];
  const chunks = named.flatMap(([, number, tag]) => {
    const part = parts.get(Number(number));
    return part && toTag(part) === tag ? [part] : [];
  });
  if (chunks.length < named.length) return fail(400, 'InvalidPart');
  if (chunks.slice(0, -1).some(({ length }) => length < SMALLEST_PART_BYTES))
    return fail(400, 'EntityTooSmall');
  uploads.delete(id);
  objects.set(key, { bytes: new Uint8Array(Buffer.concat(chunks)), modifiedAt: new Date() });
  return new Response('<CompleteMultipartUploadResult/>');
}

function list(objects: Map<string, Stored>, url: URL): Response {
  const prefix = url.searchParams.get('prefix') ?? '';
  const after = url.searchParams.get('continuation-token') ?? '';
  const all = [...objects]
    .filter(([key]) => key.startsWith(prefix) && key > after)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const page = all.slice(0, PAGE);
  const contents = page.map(
    ([key, { bytes, modifiedAt }]) =>
      `<Contents><Key>${key.replaceAll('&', '&amp;')}</Key><Size>${bytes.length}</Size>` +
      `<LastModified>${modifiedAt.toISOString()}</LastModified></Contents>`,
  );
  const next = all.length > PAGE ? page.at(-1)![0] : undefined;
  const token = next === undefined ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`;
  return new Response(`<ListBucketResult>${contents.join('')}${token}</ListBucketResult>`);
}
