import { inTransaction } from '../../db/transaction.ts';
import { addAssets, findOrCreateAlbum, findOrCreateAlbumFrom } from '../albums/index.ts';
import { type ImportedAlbum, toAlbumKey } from './facts.ts';
import type { ImportRun } from './run.ts';

/** Items that one statement adds to an album. */
const BATCH = 500;

export type AlbumQueue = {
  /** `id` is undefined for an item that a dry run would have taken in. */
  add(albums: readonly ImportedAlbum[], id: string | undefined): void;
  /** Adds the items to the account's own albums that these have become, which are created if necessary. */
  flush(): Promise<void>;
};

type Waiting = { readonly album: ImportedAlbum; readonly ids: (string | undefined)[] };

export function createAlbumQueue(run: ImportRun): AlbumQueue {
  const waiting = new Map<string, Waiting>();
  return {
    add(albums, id) {
      for (const album of albums) {
        const key = toAlbumKey(album);
        const entry: Waiting = waiting.get(key) ?? { album, ids: [] };
        entry.ids.push(id);
        waiting.set(key, entry);
      }
    },
    async flush() {
      for (const [key, { album, ids }] of waiting) {
        const added = run.isDryRun
          ? ids.filter((id) => id === undefined).length
          : await addToAlbum(run, album, ids as string[]);
        if (added > 0) run.countAlbum(key, added);
      }
    },
  };
}

async function addToAlbum(
  { ctx }: ImportRun,
  { title, description, origin }: ImportedAlbum,
  ids: readonly string[],
): Promise<number> {
  const albumId = await inTransaction(ctx, (ctx) =>
    origin
      ? findOrCreateAlbumFrom(ctx, { name: title, description, ...origin })
      : findOrCreateAlbum(ctx, title),
  );
  let added = 0;
  for (let at = 0; at < ids.length; at += BATCH) {
    const results = await addAssets(ctx, albumId, ids.slice(at, at + BATCH));
    added += results.filter(({ success }) => success).length;
  }
  return added;
}
