import type { UserSession } from '../../../access/session.ts';
import { findHeldOriginal } from '../../assets/index.ts';
import { SourceUnavailable } from './source-unavailable.ts';
import { findSourceAssets, type SourceAsset } from './sources.store.ts';
import * as storage from '../../../storage/index.ts';

type Located = Parameters<typeof findHeldOriginal>[0];

/** A file that a clip shows. */
export type Source = SourceAsset & {
  /** In an external library it is guarded (core/guarded-path.ts). */
  readonly path: string;
  /** Undefined: there is none yet. */
  readonly picturePath: string | undefined;
};

/**
 * Returns the files of assets by id. Throws SourceUnavailable if the session may not see one of them, or if
 * its file cannot be reached.
 */
export async function requireSources(
  deps: Located,
  session: UserSession,
  ids: readonly string[],
): Promise<Map<string, Source>> {
  const assets = await findSourceAssets(deps.db, session, ids);
  const found = new Map<string, Source>();
  for (const id of ids) {
    const asset = assets.get(id);
    const picturePath = asset && (await findPicture(deps, asset));
    const path = asset?.type === 'VIDEO' ? await findVideo(deps, asset) : picturePath;
    if (!asset || path === undefined) throw new SourceUnavailable(id);
    found.set(id, { ...asset, path, picturePath });
  }
  return found;
}

const findVideo = (deps: Located, { sha256 }: SourceAsset): Promise<string | undefined> =>
  findHeldOriginal(deps, sha256);

async function findPicture(deps: Located, { picture }: SourceAsset) {
  if (picture === null) return undefined;
  const path = await storage.locate(deps, storage.derivedFile(deps.paths, picture));
  return (await Bun.file(path).exists()) ? path : undefined;
}
