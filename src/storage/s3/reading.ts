import { StorageUnavailable } from '../../core/errors.ts';
import { type ListedObject, ObjectMissing, type ObjectRange } from '../object-store.ts';
import type { S3Body, S3Connection } from './request.ts';

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
