import {
  type ListedObject,
  type ObjectRange,
  readObject,
  listObjects,
  createConnection,
  type S3Connection,
} from './s3-request.ts';
import { StorageUnavailable } from '../core/errors.ts';
import type { S3Address } from '../core/s3-address.ts';
import { computeSha256 } from '../core/hash.ts';

// Object stores keep originals outside the data folder. Keys are never used twice: what has one is never changed, and a
// deletion that comes late, or twice, cannot meet other bytes.

/** Long content is put in parts of this length. */
export const PART_BYTES = 16 * 1024 ** 2;

export type LocalContent = {
  readonly path: string;
  /** Where it begins in the file; without, at its beginning. */
  readonly start?: number;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 in hex. */
  readonly sha256: string;
  /** Objects with its first parts, each of PART_BYTES, which the store copies instead of being sent them again. */
  readonly partKeys?: readonly string[] | undefined;
};

/** Every method throws StorageUnavailable when the store cannot be reached, refuses, or is too slow. */
export type ObjectStore = {
  /** For the log and for administrators, without secrets. */
  readonly url: string;
  /** Resolves when the store has the content for good. The key must be new; trying again with the same content is none. */
  put(key: string, content: LocalContent): Promise<void>;
  /** Writes a short text, unless the key exists. Returns whether it was written. */
  putText(key: string, text: string): Promise<boolean>;
  /** Returns the length in bytes; undefined without such an object. */
  findSize(key: string): Promise<number | undefined>;
  /** Reads a short text; undefined without such an object. */
  findText(key: string): Promise<string | undefined>;
  /** Yields the bytes of an existing object, or of a part of it. Throws ObjectMissing before the first. */
  read(key: string, range: ObjectRange): AsyncGenerator<Uint8Array>;
  /** Returns an address by which anybody may read an object. */
  presign(key: string, link: ObjectLink): Promise<string>;
  /** Deletes objects; those that do not exist are none. */
  remove(keys: readonly string[]): Promise<void>;
  /** Yields the objects whose keys begin with `prefix`, in the order of their keys. */
  list(prefix: string): AsyncGenerator<ListedObject>;
};

export type ObjectLink = {
  /** Time for which the address holds. */
  readonly seconds: number;
  /** Headers of the answer. */
  readonly type: string;
  readonly disposition: string;
  readonly cacheControl: string;
};

/** Longer content goes in parts. */
const WHOLE_BYTES = 64 * 1024 ** 2;
const SHORT_BYTES = 64 * 1024;
/** Deletions at the same time. */
const CONCURRENT_DELETIONS = 8;

export function createS3Store(
  address: S3Address,
  credentialsPath: string | undefined,
): ObjectStore {
  const connection = createConnection(address, credentialsPath);
  const findSize = (key: string) => findObjectSize(connection, key);
  return {
    url: `${address.url}/${address.prefix}`.replace(/\/$/, ''),
    async put(key, content) {
      const isInParts = content.size > WHOLE_BYTES || content.partKeys !== undefined;
      if (isInParts) await putInParts(connection, key, content);
      else await putWhole(connection, key, content);
      const size = await findSize(key);
      if (size === content.size) return;
      throw new StorageUnavailable(`The object store has ${size ?? 'no'} bytes of ${key}`);
    },
    async putText(key, text) {
      const headers = { 'if-none-match': '*', 'x-amz-content-sha256': hashText(text) };
      const request = { method: 'PUT', key, headers, body: text, expects: [412] } as const;
      return (await connection.send(request)).status !== 412;
    },
    findSize,
    async findText(key) {
      const size = await findSize(key);
      if (size === undefined || size > SHORT_BYTES) return undefined;
      const { status, text } = await connection.send({ method: 'GET', key, expects: [404] });
      return status === 404 ? undefined : text;
    },
    read: (key, range) => readObject(connection, key, range),
    presign: (key, { seconds, type, disposition, cacheControl }) =>
      connection.presign(key, {
        'X-Amz-Expires': String(seconds),
        'response-content-type': type,
        'response-content-disposition': disposition,
        'response-cache-control': cacheControl,
      }),
    async remove(keys) {
      const left = [...keys];
      const removeNext = async () => {
        for (let key = left.pop(); key !== undefined; key = left.pop()) {
          await connection.send({ method: 'DELETE', key, expects: [404] });
        }
      };
      await Promise.all(Array.from({ length: CONCURRENT_DELETIONS }, removeNext));
    },
    list: (prefix) => listObjects(connection, address.prefix, prefix),
  };
}

const hashText = (text: string): string =>
  new Bun.CryptoHasher('sha256').update(text).digest('hex');

async function findObjectSize({ send }: S3Connection, key: string): Promise<number | undefined> {
  const { status, headers } = await send({ method: 'HEAD', key, expects: [404] });
  return status === 404 ? undefined : Number(headers.get('content-length'));
}

/** The store compares the bytes with the digest that is signed. */
async function putWhole({ send }: S3Connection, key: string, content: LocalContent): Promise<void> {
  const headers = { 'if-none-match': '*', 'x-amz-content-sha256': content.sha256 };
  const { path, start = 0, size } = content;
  const body = Bun.file(path).slice(start, start + size);
  // The answer to an attempt may be lost, and the next one finds its object: 412.
  await send({ method: 'PUT', key, headers, body, expects: [412] });
}

/** A store takes 10,000. */
const MOST_PARTS = 9000;
const CONCURRENT_PARTS = 4;

/** Puts an object in parts, whose digests the store compares. What fails is aborted, as far as that goes. */
export async function putInParts(
  connection: S3Connection,
  key: string,
  content: LocalContent,
): Promise<void> {
  const created = await connection.send({ method: 'POST', key, query: { uploads: '' } });
  const uploadId = /<UploadId>([^<]+)<\/UploadId>/.exec(created.text)?.[1];
  if (uploadId === undefined) throw new StorageUnavailable('The object store names no upload');
  try {
    const tags = await putParts(connection, { key, uploadId }, content);
    await complete(connection, { key, uploadId }, tags);
  } catch (error) {
    const abort = { method: 'DELETE', key, query: { uploadId }, expects: [404] } as const;
    await connection.send(abort).catch(() => {});
    throw error;
  }
}

type Upload = { readonly key: string; readonly uploadId: string };

async function putParts(
  connection: S3Connection,
  upload: Upload,
  { path, size, partKeys = [] }: LocalContent,
): Promise<string[]> {
  const partBytes = Math.max(PART_BYTES, Math.ceil(size / MOST_PARTS));
  const sources = partBytes === PART_BYTES ? partKeys : [];
  const count = Math.ceil(size / partBytes);
  const tags = Array.from({ length: count }, () => '');
  let next = 0;
  let hasFailed = false;
  const putNext = async () => {
    for (let at = next++; at < count && !hasFailed; at = next++) {
      const part = { ...upload, number: at + 1 };
      const source = sources[at];
      const body = Bun.file(path).slice(at * partBytes, Math.min(size, (at + 1) * partBytes));
      const copied = source && (await copyPart(connection, part, source));
      tags[at] = copied || (await putPart(connection, part, body));
    }
  };
  const putting = Array.from({ length: Math.min(count, CONCURRENT_PARTS) }, () =>
    putNext().catch((error: unknown) => {
      hasFailed = true;
      throw error;
    }),
  );
  // Parts that come after the upload was aborted would stay.
  await Promise.allSettled(putting);
  await Promise.all(putting);
  return tags;
}

type Part = Upload & { readonly number: number };

const toPartQuery = ({ number, uploadId }: Part) => ({ partNumber: String(number), uploadId });

/** Returns the tag of the part. */
async function putPart({ send }: S3Connection, part: Part, body: Blob): Promise<string> {
  const headers = { 'x-amz-content-sha256': await computeSha256(body) };
  const request = {
    method: 'PUT',
    key: part.key,
    query: toPartQuery(part),
    headers,
    body,
  } as const;
  return (await send(request)).headers.get('etag') ?? '';
}

/** Has the store copy an object. Returns the tag of the part; undefined when the object is gone, or the store copies none. */
async function copyPart(
  { send, locate }: S3Connection,
  part: Part,
  source: string,
): Promise<string | undefined> {
  const { text } = await send({
    method: 'PUT',
    key: part.key,
    query: toPartQuery(part),
    headers: { 'x-amz-copy-source': locate(source) },
    copiedBytes: PART_BYTES,
    expects: [400, 404, 405, 501],
  });
  // A store may begin with 200 before it knows that it fails. The tag is sent back as it was written.
  return /<ETag>([^<]+)<\/ETag>/.exec(text)?.[1];
}

async function complete(
  { send }: S3Connection,
  { key, uploadId }: Upload,
  tags: readonly string[],
): Promise<void> {
  const parts = tags.map(
    (tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${tag}</ETag></Part>`,
  );
  const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
  // 404: an attempt whose answer was lost has completed it, which the caller sees by the object.
  const request = { method: 'POST', key, query: { uploadId }, body, expects: [404] } as const;
  const { text } = await send(request);
  // A store may begin with 200 before it knows that it fails.
  if (text.includes('<Error>')) throw new StorageUnavailable(`The parts of ${key} are refused`);
}
