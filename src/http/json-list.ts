import { pipeline } from 'node:stream';
import { constants, createGzip, createZstdCompress } from 'node:zlib';
import { selectEncoding, DYNAMIC_ENCODINGS } from './compress.ts';

/** Items of one list, in pages. */
export type Pages<Item = unknown> = AsyncGenerator<readonly Item[], void>;

type Texts = AsyncGenerator<string, void>;

/**
 * Returns a JSON array that is read page by page as the client takes it, compressed on the fly. Rejects
 * when the first page fails; when a later page fails, the connection is cut, so that the client does not
 * take the list for complete. `format` returns the JSON text of an item.
 */
export async function jsonListResponse<Item>(
  request: Request,
  pages: Pages<Item> | undefined,
  format?: (item: Item) => string,
): Promise<Response> {
  const texts = toJsonTexts(pages, format);
  const first = await texts.next();
  const list = prepend(first, texts);
  const headers = new Headers({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    vary: 'accept-encoding',
  });
  const encoding = selectEncoding(request.headers.get('accept-encoding'), DYNAMIC_ENCODINGS);
  if (!encoding) return new Response(toByteStream(list), { headers });
  headers.set('content-encoding', encoding);
  return new Response(toByteStream(compressTexts(list, encoding)), { headers });
}

async function* prepend(first: IteratorResult<string, void>, rest: Texts): Texts {
  try {
    if (!first.done) yield first.value;
    yield* rest;
  } finally {
    await rest.return();
  }
}

/** Compressed bytes that are sent at once: by pieces of the usual 16 KiB a long list takes longer. */
const chunkSize = 256 * 1024;
const ZSTD = { chunkSize, params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const GZIP = { chunkSize, level: 2 };

async function* compressTexts(texts: Texts, encoding: (typeof DYNAMIC_ENCODINGS)[number]) {
  const packer = encoding === 'zstd' ? createZstdCompress(ZSTD) : createGzip(GZIP);
  // Propagates errors in both directions.
  pipeline(texts, packer, () => {});
  yield* packer as AsyncIterable<Uint8Array>;
}

/** Returns the parts as a stream that pulls the next part on demand. */
export function toByteStream(
  parts: AsyncGenerator<string | Uint8Array, void>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await parts.next();
        if (done) controller.close();
        else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value);
      },
      async cancel() {
        await parts.return();
      },
    },
    { highWaterMark: 0 },
  );
}

async function* toJsonTexts<Item>(
  pages: Pages<Item> | undefined,
  format: ((item: Item) => string) | undefined,
): Texts {
  let before = '[';
  for await (const page of pages ?? []) {
    if (page.length === 0) continue;
    for (const text of format ? joinToChunks(page, format) : [JSON.stringify(page).slice(1, -1)]) {
      yield before + text;
      before = ',';
    }
  }
  yield before === '[' ? '[]' : ']';
}

/** Characters from which on a chunk is sent: memory of larger ones is not used again. */
const CHUNK_LENGTH = 128 * 1024;

function* joinToChunks<Item>(
  items: readonly Item[],
  format: (item: Item) => string,
): Generator<string> {
  let chunk = '';
  for (const item of items) {
    chunk += chunk === '' ? format(item) : `,${format(item)}`;
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}
