import { join } from 'node:path';
import type { UserSession } from '../../../access/session.ts';
import type { Deps } from '../../../core/context.ts';
import { findOriginal } from '../../assets/index.ts';
import { SourceUnavailable } from './source-unavailable.ts';
import { findSourceAssets, type SourceAsset } from './sources.store.ts';

type Located = Pick<Deps, 'db' | 'paths'>;

/** A file that a clip shows. */
export type Source = SourceAsset & {
  /** In an external library it is guarded (core/guarded-path.ts). */
  readonly path: string;
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
    const file = asset && (await locate(deps, asset));
    if (!file) throw new SourceUnavailable(id);
    found.set(id, { ...asset, path: file.path });
  }
  return found;
}

async function locate(
  deps: Located,
  asset: SourceAsset,
): Promise<{ readonly path: string } | undefined> {
  if (asset.type === 'VIDEO') return findOriginal(deps, asset.sha256);
  if (asset.picture === null) return undefined;
  const path = join(deps.paths.derived, asset.picture);
  return (await Bun.file(path).exists()) ? { path } : undefined;
}
