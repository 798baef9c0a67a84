import { StorageUnavailable } from '../../core/errors.ts';
import type { LocalContent } from '../object-store.ts';
import type { S3Connection } from './request.ts';

const SMALLEST_PART_BYTES = 16 * 1024 ** 2;
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
  { send }: S3Connection,
  { key, uploadId }: Upload,
  { path, size }: LocalContent,
): Promise<string[]> {
  const partBytes = Math.max(SMALLEST_PART_BYTES, Math.ceil(size / MOST_PARTS));
  const count = Math.ceil(size / partBytes);
  const tags = Array.from({ length: count }, () => '');
  let next = 0;
  let hasFailed = false;
  const putNext = async () => {
    for (let at = next++; at < count && !hasFailed; at = next++) {
      const body = Bun.file(path).slice(at * partBytes, Math.min(size, (at + 1) * partBytes));
      const query = { partNumber: String(at + 1), uploadId };
      const headers = { 'x-amz-content-sha256': await hashPart(body) };
      const { headers: answered } = await send({ method: 'PUT', key, query, headers, body });
      tags[at] = answered.get('etag') ?? '';
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

async function hashPart(part: Blob): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256');
  for await (const chunk of part.stream()) hash.update(chunk);
  return hash.digest('hex');
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
