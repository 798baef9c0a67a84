import { createHash, randomUUID } from 'node:crypto';
import { randomFileBytes } from './forms.ts';

const PAGE = 1000;

export type FakeImmichOptions = {
  /** Names of files with random bytes. */
  readonly files?: readonly string[];
  /** Names of files, by the name of the album. */
  readonly albums?: Readonly<Record<string, readonly string[]>>;
  readonly tags?: Readonly<Record<string, readonly string[]>>;
  readonly bytes?: number;
  /** Albums by themselves, as the server lists them. */
  readonly listed?: readonly { readonly members: readonly string[]; readonly body: object }[];
  /** Names of files that are in the trash. */
  readonly trashed?: readonly string[];
  /** Other answers, by path. */
  readonly more?: Readonly<Record<string, unknown>>;
  /** People with their faces, by the name of the file. */
  readonly people?: Readonly<Record<string, readonly object[]>>;
  /** Bytes of files by name, instead of random ones. */
  readonly contents?: Readonly<Record<string, Uint8Array>>;
};

export type FakeImmich = Awaited<ReturnType<typeof startFakeImmich>>;

/** Starts a server that answers as Immich does to what an import asks, over HTTP. */
export async function startFakeImmich(options: FakeImmichOptions = {}) {
  const { albums = {}, tags = {}, bytes = 2048, contents = {}, people = {} } = options;
  const { files = ['a.jpg', 'b.jpg', 'c.jpg'], listed = [], trashed = [], more = {} } = options;
  const userId = randomUUID();
  const assets = files.map((name, at) =>
    createAsset(
      userId,
      { name, people: people[name] },
      contents[name] ?? randomFileBytes(bytes),
      at,
    ),
  );
  const collections = (named: Readonly<Record<string, readonly string[]>>) =>
    Object.entries(named).map(([name, members]) => ({ id: randomUUID(), name, members }));
  const [namedAlbums, allTags] = [collections(albums), collections(tags)];
  const ownAlbums = listed.map(({ members, body }) => ({ id: randomUUID(), members, body }));
  const allAlbums = [...namedAlbums, ...ownAlbums];
  const binned = trashed.map((name, at) => ({
    ...createAsset(userId, { name, people: undefined }, randomFileBytes(bytes), at).body,
    isTrashed: true,
  }));
  const state = {
    userId,
    key: 'secret-key-of-the-other-server',
    /** Names of the originals that were downloaded. */
    downloads: [] as string[],
    /** Answered with this status instead. */
    status: undefined as number | undefined,
    /** Status instead of an original, by its name. */
    refused: {} as Record<string, number>,
    /** Bytes that it says of each file, instead of the true ones. */
    toldBytes: undefined as number | undefined,
    /** Originals wait for it. */
    gate: Promise.resolve(),
    /** Added to its lists: values that no server of Immich sends. */
    odd: { assets: [] as unknown[], albums: [] as unknown[], stacks: [] as unknown[] },
    /** Each answer begins and has no bytes. */
    isMute: false,
  };

  async function answerOriginal(id: string): Promise<Response> {
    const asset = assets.find((asset) => asset.body.id === id);
    if (!asset) return new Response('', { status: 404 });
    const name = asset.body.originalFileName;
    await state.gate;
    if (state.status !== undefined) return new Response('', { status: state.status });
    if (state.refused[name] !== undefined) return new Response('', { status: state.refused[name] });
    state.downloads.push(name);
    return new Response(asset.bytes);
  }

  function search(filter: Filter) {
    const { albumIds, tagIds, page = 1, visibility, withDeleted } = filter;
    if (withDeleted) return { assets: { items: binned, nextPage: null } };
    const chosen = [...allAlbums, ...allTags].find(
      ({ id }) => id === albumIds?.[0] || id === tagIds?.[0],
    );
    const names = chosen?.members ?? (visibility === 'archive' ? [] : files);
    const found = assets.filter(({ body }) => names.includes(body.originalFileName));
    const tell = ({ body }: (typeof assets)[number]) =>
      state.toldBytes === undefined
        ? body
        : { ...body, exifInfo: { fileSizeInByte: state.toldBytes } };
    const items = found.slice((page - 1) * PAGE, page * PAGE).map(tell);
    if (!chosen && page === 1 && visibility === 'timeline')
      items.push(...(state.odd.assets as never[]));
    return { assets: { items, nextPage: page * PAGE < found.length ? String(page + 1) : null } };
  }

  const answers: Readonly<Record<string, (body: Filter) => unknown>> = {
    '/users/me': () => ({ id: state.userId, quotaUsageInBytes: files.length * bytes }),
    '/assets/statistics': () => ({ images: files.length, videos: 0, total: files.length }),
    '/people': () => ({ total: 2, people: [] }),
    '/albums': () => [
      ...state.odd.albums,
      ...namedAlbums.map(({ id, name }) => ({ id, albumName: name })),
      ...ownAlbums.map(({ id, body }) => ({ id, ...body })),
    ],
    '/tags': () => allTags.map(({ id, name }) => ({ id, value: name })),
    '/stacks': () => state.odd.stacks,
    '/search/metadata': search,
  };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const path = new URL(request.url).pathname.replace(/^\/api/, '');
      const original = /^\/assets\/(.+)\/original$/.exec(path);
      if (request.headers.get('x-api-key') !== state.key) return new Response('', { status: 401 });
      if (original?.[1]) return answerOriginal(original[1]);
      if (state.status !== undefined) return new Response('', { status: state.status });
      const body = request.method === 'POST' ? ((await request.json()) as Filter) : {};
      if (state.isMute) return new Response(new ReadableStream());
      const answer = answers[path];
      if (answer) return Response.json(answer(body));
      return path in more ? Response.json(more[path]) : new Response('', { status: 404 });
    },
  });
  // It keeps no test alive.
  server.unref();
  return Object.assign(state, { url: server.url.origin, stop: () => server.stop(true) });
}

type Filter = {
  readonly withDeleted?: boolean;
  readonly visibility?: string;
  readonly albumIds?: readonly string[];
  readonly tagIds?: readonly string[];
  readonly page?: number;
};

function createAsset(
  ownerId: string,
  { name, people }: { readonly name: string; readonly people: readonly object[] | undefined },
  bytes: Uint8Array,
  at: number,
) {
  const date = new Date(Date.UTC(2024, 0, 1 + at)).toISOString();
  const body = {
    id: randomUUID(),
    ownerId,
    type: 'IMAGE',
    originalFileName: name,
    people,
    checksum: createHash('sha1').update(bytes).digest('base64'),
    fileCreatedAt: date,
    localDateTime: date,
    isFavorite: false,
    exifInfo: { fileSizeInByte: bytes.length },
  };
  return { bytes: new Uint8Array(bytes), body };
}
