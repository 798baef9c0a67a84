import { requireValue } from '../core/required.ts';
import { createCopy, getSize, toUrl, withConnection } from '../db/databases.ts';
import { countByAccount } from './counts.store.ts';
import {
  getReplacedAt,
  listReplaced,
  replaceDatabase,
  type Replacement,
  requireLastReplaced,
} from './replacement.ts';
import { COPIED_BYTES, requireSpace } from './space.ts';

export const COUNTED = ['accounts', 'asset', 'album', 'tag', 'memory', 'shared_link'] as const;
export type Counted = (typeof COUNTED)[number];
export type Change = { readonly kind: Counted; readonly before: number; readonly now: number };

export type RollBackPreview = {
  readonly replacedAt: Date;
  /** Kinds of which the present database has more or less. */
  readonly changes: Change[];
};

/** Returns the database that a rollback goes back to; undefined when none is kept. */
export async function previewRollBack(url: string): Promise<RollBackPreview | undefined> {
  const kept = (await listReplaced(url)).at(-1);
  if (!kept) return undefined;
  const [before, now] = await Promise.all([
    withConnection(toUrl(url, kept), countByAccount),
    withConnection(url, countByAccount),
  ]);
  return { replacedAt: getReplacedAt(kept), changes: listChanges(before, now) };
}

type Counts = ReadonlyMap<string, number>;

/** Compares the counts of two databases by account, for all accounts together. */
export function listChanges(before: Counts, now: Counts): Change[] {
  const [sumsBefore, sumsNow] = [sumByKind(before), sumByKind(now)];
  return COUNTED.map((kind) => ({
    kind,
    before: sumsBefore.get(kind) ?? 0,
    now: sumsNow.get(kind) ?? 0,
  })).filter((change) => change.before !== change.now);
}

/** 'album of <id>' counts as 'album'. */
function sumByKind(counts: Counts): Counts {
  const sums = new Map<string, number>();
  for (const [name, count] of counts) {
    const kind = name.replace(/ .*/, '');
    sums.set(kind, (sums.get(kind) ?? 0) + count);
  }
  return sums;
}

type Options = {
  readonly url: string;
  readonly now: Date;
  /** Folder of the database; undefined when it is on another machine. */
  readonly diskFolder: string | undefined;
  /** Throws when the application does not work on the database. */
  readonly check: (url: string) => Promise<void>;
};

/**
 * Replaces the database by a copy of the one that was replaced last. Both stay: the older one for the version
 * that it was made by, the present one to come back to.
 */
export async function rollBackDatabase(
  options: Options,
): Promise<Replacement & { readonly copied: string }> {
  const { url, now, diskFolder, check } = options;
  let copied: string | undefined;
  const { kept } = await replaceDatabase({
    url,
    now,
    async create(admin, name) {
      copied = await requireLastReplaced(admin, url);
      requireSpace('rollback', diskFolder, COPIED_BYTES * (await getSize(admin, copied)));
      await createCopy(admin, copied, name);
    },
    check,
  });
  return { kept, copied: requireValue<string | undefined>(copied, 'database that was copied') };
}
