import { pipeline } from 'node:stream';
import { createGzip, createZstdCompress } from 'node:zlib';
import { acceptedEncoding, LIVE_ENCODINGS } from './compress.ts';

/** Items of one list, in pages. */
export type Pages = AsyncGenerator<readonly unknown[], void>;

type Texts = AsyncGenerator<string, void>;

/**
 * One list, however long, made page by page as the client takes it, and compressed on the way. Rejects
 * when the first page fails; a later one that does cuts the connection: what was sent must not look
 * like all there is.
 */
export async function jsonListResponse(
  request: Request,
  pages: Pages | undefined,
): Promise<Response> {
  const texts = listOf(pages);
  const first = await texts.next();
  const list = startingWith(first, texts);
  const headers = new Headers({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    vary: 'accept-encoding',
  });
  const encoding = acceptedEncoding(request.headers.get('accept-encoding'), LIVE_ENCODINGS);
  if (!encoding) return new Response(chunked(list), { headers });
  headers.set('content-encoding', encoding);
  return new Response(chunked(packed(list, encoding)), { headers });
}

async function* startingWith(first: IteratorResult<string, void>, rest: Texts): Texts {
  try {
    if (!first.done) yield first.value;
    yield* rest;
  } finally {
    await rest.return();
  }
}

async function* packed(texts: Texts, encoding: (typeof LIVE_ENCODINGS)[number]) {
  const packer = encoding === 'zstd' ? createZstdCompress() : createGzip({ level: 3 });
  // An error of either reaches who reads the other.
  pipeline(texts, packer, () => {});
  yield* packer as AsyncIterable<Uint8Array>;
}

/** Nothing is made before it is asked for. */
export function chunked(
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

async function* listOf(pages: Pages | undefined): Texts {
  let before = '[';
  for await (const page of pages ?? []) {
    if (page.length === 0) continue;
    yield before + JSON.stringify(page).slice(1, -1);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}
