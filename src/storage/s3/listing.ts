import type { ListedObject } from '../object-store.ts';
import type { S3Connection } from './request.ts';

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
