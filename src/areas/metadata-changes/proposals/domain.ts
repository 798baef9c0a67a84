import { lockOwned, ownedAmong } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { noAccess } from '../../../core/errors.ts';
import { decodeCursor, encodeCursor } from '../../../db/keyset.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { changeEach } from '../domain.ts';
import type { ResolvedChange } from '../compute.ts';
import type { ChangeResponse } from '../schemas.ts';
import {
  findDateInFolder,
  findDateInName,
  findDateOfNeighbours,
  type ProposedClock,
} from './dates.ts';
import type {
  Acceptance,
  Dismissal,
  ProposalField,
  ProposalPage,
  ProposalsRequest,
  ShownProposal,
} from './schemas.ts';
import * as store from './store.ts';

/**
 * Returns a page of the caller's items without a date or a place. Those without a place are listed only where
 * others of the same hours have one.
 */
export async function listProposals(
  ctx: Ctx,
  { field, cursor }: ProposalsRequest,
): Promise<ProposalPage> {
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  const { items, next } = await store.listMissing(ctx, field, after);
  const now = ctx.now();
  return {
    items: items
      .map((item) => ({
        assetId: item.id,
        originalFileName: item.fileName,
        localDateTime: `${item.localTakenAt}Z`,
        proposal: toProposal(item, field, now)?.shown ?? null,
      }))
      .filter(({ proposal }) => field === 'date' || proposal !== null),
    nextCursor: next ? encodeCursor(next) : null,
  };
}

/**
 * Saves what is proposed for these items, as one change that can be undone. Items that lack nothing any more stay
 * as they are. Throws 400 unless all are the caller's own.
 */
export async function acceptProposals(
  ctx: Ctx,
  { field, assetIds }: Acceptance,
): Promise<ChangeResponse> {
  const ids = await requireOwn(ctx, assetIds);
  const now = ctx.now();
  const items = await store.filterMissing(ctx, field, ids);
  const changes = new Map<string, ResolvedChange>();
  for (const item of items) {
    const proposal = toProposal(item, field, now);
    if (proposal) changes.set(item.id, proposal.change);
  }
  return changeEach(ctx, [field], changes);
}

/** Leaves items out of the list, or shows them again. Throws 400 unless all are the caller's own. */
export const dismissProposals = (
  ctx: Ctx,
  { field, assetIds, isDismissed }: Dismissal,
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const ids = await requireOwn(ctx, assetIds);
    await lockOwned(ctx.db, ctx.session, ids);
    await store.saveDismissed(ctx.db, field, ids, isDismissed);
  });

async function requireOwn({ db, session }: Ctx, assetIds: readonly string[]): Promise<string[]> {
  const ids = [...new Set(assetIds.map((id) => id.toLowerCase()))];
  if ((await ownedAmong(db, session, ids)).size < ids.length) throw noAccess('asset.update');
  return ids;
}

type Proposal = { readonly shown: ShownProposal; readonly change: ResolvedChange };

const NOTHING = {
  localDateTime: null,
  timeZone: null,
  latitude: null,
  longitude: null,
  city: null,
  state: null,
  country: null,
};

function toProposal(item: store.Item, field: ProposalField, now: Date): Proposal | undefined {
  if (field === 'place') {
    const { near: place } = item;
    if (!place) return undefined;
    return { shown: { ...NOTHING, source: 'nearby', ...place }, change: { place } };
  }
  const found = findDate(item, now);
  if (!found || found.clock.day === item.localTakenAt.slice(0, 10)) return undefined;
  const { source, clock } = found;
  const localDateTime = `${clock.day}T${clock.time}.000Z`;
  return {
    shown: { ...NOTHING, source, localDateTime, timeZone: item.timeZone },
    change: { date: { kind: 'set', ...clock } },
  };
}

type Found = { readonly source: ShownProposal['source']; readonly clock: ProposedClock };

function findDate(item: store.Item, now: Date): Found | undefined {
  const { fileName, folder, timeZone, neighbours } = item;
  const named = findDateInName(fileName, timeZone, now);
  if (named) return { source: 'fileName', clock: named };
  const filed = folder === null ? undefined : findDateInFolder(folder, now);
  if (filed) return { source: 'folder', clock: filed };
  const beside = findDateOfNeighbours(neighbours ?? []);
  return beside && { source: 'neighbours', clock: beside };
}
