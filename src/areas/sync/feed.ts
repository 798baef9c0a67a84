import type { SQL } from 'drizzle-orm';
import type { SyncOwner } from './scope.ts';
import type { Cursor } from './cursors.ts';
import type { Source } from './page.store.ts';
import type { Pending } from './pending.ts';
import type { Entities } from './rows.store.ts';
import type { EntityType, RequestType } from './types.ts';

/** Whose log is read: 'home' is the account and the albums that it may open. */
export type ScopeName = 'own' | 'everybody' | 'partners' | 'albums' | 'home';

export type Reading = {
  readonly type: EntityType;
  readonly entity: keyof Entities;
  readonly scopes: ScopeName;
  readonly kinds: readonly string[];
};

export type Removal = Reading & {
  readonly data: SQL;
  /** What the reader may have had: others are not told of. */
  readonly seen?: 'open' | 'shared';
  /** What a copy must lose that was filled while the PIN was entered; the rest goes with it. */
  readonly takeBack?: Scan;
};

export type Scan = (owner: SyncOwner, cursor: Cursor) => Source;

/** One request type: how its part of a copy is completed, and then kept up to date. */
export type Feed = {
  readonly request: RequestType;
  readonly removal?: Removal;
  /** The first time, all at once … */
  readonly scan?: Scan;
  /** … or one partner or album after the other, also those that come later. */
  readonly backfill?: {
    readonly type: EntityType;
    readonly of: 'partners' | 'albums';
    readonly entity: keyof Entities;
    readonly source: (relations: readonly Pending[]) => Source;
  };
  readonly readings: readonly Reading[];
  /** Part of the account's own that only a session with the PIN has: found by this. */
  readonly locked?: Scan;
  /**
   * Kinds of the log that say of something that it appeared. This feed refers to things of earlier
   * ones: those that appeared since are left for the next stream.
   */
  readonly late?: readonly string[];
};

/** Kinds of the log that say something of an asset itself. */
export const ASSET = ['asset', 'shown'];

export const typesOf = ({ removal, backfill, readings }: Feed): EntityType[] =>
  [removal, backfill, ...readings].flatMap((part) => (part ? part.type : []));
