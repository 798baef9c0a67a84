import { inTransaction } from '../../db/transaction.ts';
import { addAssets, findOrCreateAlbum } from '../albums/index.ts';
import type { ImportRun } from './run.ts';

/** Items that one statement adds to an album. */
const BATCH = 500;

export type AlbumQueue = {
  /** `id` is undefined for an item that a dry run would have taken in. */
  add(titles: readonly string[], id: string | undefined): void;
  /** Adds the items to the account's own albums of these titles, which are created if necessary. */
  flush(): Promise<void>;
};

export function createAlbumQueue(run: ImportRun): AlbumQueue {
  const waiting = new Map<string, (string | undefined)[]>();
  return {
    add(titles, id) {
      for (const title of titles) {
        const ids = waiting.get(title) ?? [];
        ids.push(id);
        waiting.set(title, ids);
      }
    },
    async flush() {
      for (const [title, ids] of waiting) {
        const added = run.isDryRun
          ? ids.filter((id) => id === undefined).length
          : await addToAlbum(run, title, ids as string[]);
        if (added > 0) run.countAlbum(title, added);
      }
    },
  };
}

async function addToAlbum(
  { ctx }: ImportRun,
  title: string,
  ids: readonly string[],
): Promise<number> {
  const albumId = await inTransaction(ctx, (ctx) => findOrCreateAlbum(ctx, title));
  let added = 0;
  for (let at = 0; at < ids.length; at += BATCH) {
    const results = await addAssets(ctx, albumId, ids.slice(at, at + BATCH));
    added += results.filter(({ success }) => success).length;
  }
  return added;
}
