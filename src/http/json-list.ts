/** Items of one list, in pages. */
export type Pages = AsyncGenerator<readonly unknown[], void>;

/**
 * One list, however long, made page by page as the client takes it. Rejects when the first page
 * fails; a later one that does cuts the connection: what was sent must not look like all there is.
 */
export async function jsonListResponse(pages: Pages | undefined): Promise<Response> {
  const texts = listOf(pages);
  const first = await texts.next();
  return new Response(chunked(texts, first), {
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  });
}

/** After `first`, nothing is made before it is asked for. */
export function chunked(
  texts: AsyncGenerator<string, void>,
  first?: IteratorResult<string, void>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let made = first;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = made ?? (await texts.next());
        made = undefined;
        if (next.done) controller.close();
        else controller.enqueue(encoder.encode(next.value));
      },
      async cancel() {
        await texts.return();
      },
    },
    { highWaterMark: 0 },
  );
}

async function* listOf(pages: Pages | undefined): AsyncGenerator<string, void> {
  let before = '[';
  for await (const page of pages ?? []) {
    if (page.length === 0) continue;
    yield before + JSON.stringify(page).slice(1, -1);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}
