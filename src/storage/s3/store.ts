import { StorageUnavailable } from '../../core/errors.ts';
import type { LocalContent, ObjectStore } from '../object-store.ts';
import type { S3Address } from '../../core/s3-address.ts';
import { putInParts } from './multipart.ts';
import { readObject, listObjects } from './reading.ts';
import { createConnection, type S3Connection } from './request.ts';

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
