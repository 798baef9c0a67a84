import { StorageUnavailable } from '../../core/errors.ts';
import { computeSha256 } from '../../core/hash.ts';
import { type LocalContent, PART_BYTES } from '../object-store.ts';
import type { S3Connection } from './request.ts';

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
