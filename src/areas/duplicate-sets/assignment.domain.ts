import type { UserSession } from '../../access/session.ts';
import { invalidField } from '../../core/errors.ts';
import type { Db } from '../../db/client.ts';
import { saveKeepDecision } from './decisions.store.ts';
import { removeSetMembers, saveSetMembers } from './named-sets.store.ts';
import { type DuplicateSet, listSets, listSetsAround } from './sets.store.ts';

type Reader = { readonly db: Db; readonly session: UserSession };

/** Version 4: what operations of sets take. */
const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/**
 * Puts assets of the caller into the set of this id, or with null out of their sets. Call it in a transaction
 * that has locked the assets. Throws 400 for an id that is none, and for a part of a set that the server has found.
 */
export async function assignDuplicateId(
  reader: Reader,
  assetIds: readonly string[],
  duplicateId: string | null,
): Promise<void> {
  const named = new Set(assetIds);
  const around = await listSetsAround(reader, assetIds);
  const touched = around.filter(({ itemIds }) => itemIds.some((id) => named.has(id)));
  if (duplicateId === null) await clear(reader, named, touched);
  else await assign(reader, assetIds, duplicateId.toLowerCase(), touched);
}

async function assign(
  reader: Reader,
  assetIds: readonly string[],
  id: string,
  touched: readonly DuplicateSet[],
): Promise<void> {
  if (!UUID.test(id)) throw invalidField('duplicateId', 'Invalid UUID');
  const has = (set: DuplicateSet) => set.id === id;
  // One asset alone makes no set: it joins one that there is.
  const isAlone = assetIds.length === 1;
  const set = touched.find(has) ?? (isAlone ? (await listSets(reader)).find(has) : undefined);
  if (set && assetIds.every((assetId) => set.itemIds.includes(assetId))) return;
  await saveSetMembers(reader, id, [...new Set([...assetIds, ...(set?.itemIds ?? [])])]);
}

/** Sets that are listed as a whole are kept: they are not found again. */
async function clear(
  reader: Reader,
  named: ReadonlySet<string>,
  touched: readonly DuplicateSet[],
): Promise<void> {
  const isWhole = ({ itemIds }: DuplicateSet) => itemIds.every((id) => named.has(id));
  if (touched.some((set) => !set.isNamed && !isWhole(set))) {
    throw invalidField('duplicateId', 'List all items of a duplicate set to keep them');
  }
  const ids = [...named];
  await removeSetMembers(reader, ids);
  // The server may find a set of those that a client had put into others.
  const found = touched.some((set) => set.isNamed) ? await listSetsAround(reader, ids) : [];
  for (const set of [...touched, ...found].filter(isWhole)) {
    await saveKeepDecision(reader, set.id, set.itemIds);
  }
}
