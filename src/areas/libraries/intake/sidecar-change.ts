import type { Deps } from '../../../core/context.ts';
import { guardPath } from '../../../core/guarded-path.ts';
import { toHex } from '../../../core/hash.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { MediaError } from '../../../media/errors.ts';
import { readTags, toTagValue } from '../../../media/words.ts';
import { getExifTool, readMetadata } from '../../assets/index.ts';
import { readConfig } from '../../system-config/index.ts';
import { removeTagsFromAsset, upsertFileTags } from '../../tags/index.ts';
import { type LocalCopy, publishSidecar, storeSidecar } from '../../uploads/index.ts';
import { type Companions, copySidecar } from './companions.ts';
import { deleteSidecars, type SidecarSubject } from './sidecars.store.ts';
import * as storage from '../../../storage/index.ts';

/** An item whose sidecar is another one, or gone. */
export type SidecarChange = Pick<SidecarSubject, 'assetId' | 'ownerId'> & {
  /** Undefined: there is none any more. */
  readonly sidecar: LocalCopy | undefined;
  /** Paths of tags that go with it. */
  readonly lostTags: readonly string[];
};

/** Compares the sidecar that lies beside a file with the one that was read; undefined if it is that one. */
export async function findSidecarChange(
  deps: Deps,
  item: SidecarSubject,
  { sidecarPath, isThere }: Companions,
): Promise<SidecarChange | undefined> {
  // Where the photo is not, its sidecar tells nothing by its absence.
  if (!isThere) return undefined;
  const { assetId, ownerId } = item;
  if (sidecarPath === undefined) {
    if (item.sidecarTag === null) return undefined;
    return { assetId, ownerId, sidecar: undefined, lostTags: await listLostTags(deps, item) };
  }
  const copy = await copySidecar(deps, sidecarPath);
  // An editor may have failed to write it.
  if (!copy) return undefined;
  if (toSidecarTag(copy) !== item.sidecarTag) {
    return { assetId, ownerId, sidecar: await storeSidecar(deps, assetId, copy), lostTags: [] };
  }
  await copy.file.discard();
  return undefined;
}

/** As publishSidecar writes it. */
const toSidecarTag = ({ digests }: LocalCopy): string => toHex(digests.sha256).slice(0, 16);

/**
 * Returns the tags that only the former sidecar tells. Where we write sidecars, they have tags of people, too: those
 * stay.
 */
async function listLostTags(
  deps: Deps,
  { path, sidecarName }: SidecarSubject,
): Promise<readonly string[]> {
  const { libraries } = await readConfig(deps.db, 'libraries');
  if (libraries.writeSidecars || sidecarName === null) return [];
  const exiftool = getExifTool(deps.paths);
  try {
    const former = readTags(
      await exiftool.read(await storage.locate(deps, storage.derivedFile(deps.paths, sidecarName))),
    );
    if (former.length === 0) return [];
    const own = new Set(readTags(await exiftool.read(guardPath(path))).map(toTagValue));
    return former.filter((tag) => !own.has(toTagValue(tag)));
  } catch (error) {
    // A file that cannot be read had no tags to tell.
    if (error instanceof MediaError && error.kind !== 'killed') return [];
    throw error;
  }
}

/** Lets the items be read with the sidecars that they have now. Call it last in the transaction. */
export async function saveSidecarChanges(
  deps: Deps,
  changes: readonly SidecarChange[],
): Promise<void> {
  const { db } = deps;
  for (const { assetId, ownerId, lostTags } of changes) {
    const tagIds = await upsertFileTags(db, ownerId, { paths: lostTags, mayGrow: false });
    await removeTagsFromAsset(db, assetId, tagIds);
    await enqueue(db, readMetadata, { assetId });
  }
  const bare = changes.filter(({ sidecar }) => !sidecar);
  await deleteSidecars(
    db,
    bare.map(({ assetId }) => assetId),
  );
  for (const { assetId, sidecar } of changes) await publishSidecar(deps, assetId, { sidecar });
}

export async function discardChanges(changes: readonly SidecarChange[]): Promise<void> {
  for (const { sidecar } of changes) await sidecar?.file.discard();
}
