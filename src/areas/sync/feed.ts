import type { SQL } from 'drizzle-orm';
import type { SyncOwner } from './scope.ts';
import type { Cursor } from './cursors.ts';
import type { Source } from './page.store.ts';
import type { PendingRelation } from './pending.ts';
import type { Entities } from './entities.store.ts';
import type { EntityType, RequestType } from './types.ts';

/** Scopes of the log. 'home': the account and the albums that it may open. */
export type ScopeName = 'own' | 'everybody' | 'partners' | 'albums' | 'home';

export type EntityChanges = {
  readonly type: EntityType;
  readonly entity: keyof Entities;
  readonly scopes: ScopeName;
  readonly kinds: readonly string[];
};

export type Removal = EntityChanges & {
  readonly data: SQL;
  /** Kinds of rows in the account's scope that tell what it has lost of others. */
  readonly ownKinds?: readonly string[];
  /** Types of other feeds that bring such entities: a copy may hold some before it has any of this feed. */
  readonly alsoSentAs?: readonly EntityType[];
  /** Only removals of what the reader could see before. */
  readonly audience?: 'open' | 'shared';
  /** The entity that it is part of: removals in Locked count too, once the reader may see that again. */
  readonly parent?: keyof Entities;
  /** Finds Locked content to remove from a copy that was filled while the PIN was entered. */
  readonly retractLocked?: Scan;
};

export type Scan = (owner: SyncOwner, cursor: Cursor) => Source;

/** One request type: how to fill its part of a copy and to keep it up to date. */
export type Feed = {
  readonly request: RequestType;
  readonly removal?: Removal;
  /** The first time, in one scan … */
  readonly scan?: Scan;
  /** … or partner by partner and album by album, also for those that are added later. */
  readonly backfill?: {
    readonly type: EntityType;
    readonly of: 'partners' | 'albums';
    readonly entity: keyof Entities;
    readonly source: (relations: readonly PendingRelation[]) => Source;
  };
  readonly upserts: readonly [EntityChanges, ...EntityChanges[]];
  /** Finds the Locked content, which only an elevated session gets. */
  readonly lockedScan?: Scan;
  /**
   * Kinds of changes by which referenced things appear. Rows that refer to things that appeared after the
   * start of the stream are left to the next one, which those changes must make send them again.
   */
  readonly lateKinds?: readonly string[];
};

/** Kinds of changes of an asset itself. */
export const ASSET_KINDS = ['asset', 'shown'];

export const listEntityTypes = ({ removal, backfill, upserts: readings }: Feed): EntityType[] =>
  [removal, backfill, ...readings].flatMap((part) => (part ? part.type : []));
