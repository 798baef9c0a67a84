import { toUrl, get, post, put } from '../../base/api.ts';
import { areSidecarsWanted } from './sidecars.ts';
import { attempt, showToast, showUndo } from '../../ui/toast.tsx';
import type { Asset, AssetChange, DownloadPlan } from '../types.ts';
import { formatBytes } from '../../base/format.ts';
import { mutate } from '../../base/query-client.ts';
import { revokeLater } from '../../base/object-url.ts';
import { keys, PHOTOS } from '../query-keys.ts';
import type { Timeline } from '../timeline/timeline-data.ts';
import { t } from '../../base/i18n.ts';

export const fetchAsset = (id: string): Promise<Asset> => get(`/assets/${id}`);
export const changeAsset = (id: string, change: AssetChange): Promise<Asset> =>
  mutate(() => put(`/assets/${id}`, change), { invalidates: [], replaces: [...keys.assets, id] });

/** The most photos of one request. */
const MAX_REQUEST_SIZE = 50_000;

export const toChunks = <T>(list: readonly T[], size = MAX_REQUEST_SIZE): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );

type BulkChange = Pick<AssetChange, 'isFavorite' | 'visibility'>;

const changeAssets = (
  ids: Iterable<string>,
  change: BulkChange,
  apply?: () => () => void,
): Promise<void> =>
  mutate(
    async () => {
      for (const part of toChunks([...ids])) await put('/assets', { ids: part, ...change });
    },
    { invalidates: [...PHOTOS, keys.assets], ...(apply && { apply }) },
  );

/** Shown at once, taken back when the server refuses. */
export async function setFavorite(
  timeline: Timeline,
  ids: ReadonlySet<string>,
  isFavorite: boolean,
): Promise<boolean> {
  let changed: ReadonlySet<string> = new Set();
  const apply = () => {
    changed = timeline.markFavorites(ids, isFavorite);
    return () => void timeline.markFavorites(changed, !isFavorite);
  };
  const isDone = await attempt(() => changeAssets(ids, { isFavorite }, apply));
  if (isDone && ids.size > 1) {
    const what = t('{count, plural, one {# item} other {# items}}', { count: ids.size });
    showUndo(
      isFavorite
        ? t('{what} marked as favorite', { what })
        : t('{what} removed from favorites', { what }),
      () =>
        attempt(() =>
          changeAssets(changed, { isFavorite: !isFavorite }, () => {
            timeline.markFavorites(changed, !isFavorite);
            return () => void timeline.markFavorites(changed, isFavorite);
          }),
        ),
    );
  }
  return isDone;
}

/** Moves photos from the archive back to the timeline. */
export async function unarchive(ids: ReadonlySet<string>): Promise<boolean> {
  const move = (visibility: 'timeline' | 'archive') =>
    attempt(() => changeAssets(ids, { visibility }));
  const isDone = await move('timeline');
  if (isDone) {
    showUndo(
      t('{count, plural, one {# item} other {# items}} back on the timeline', { count: ids.size }),
      () => move('archive'),
    );
  }
  return isDone;
}

/** A single file comes as it is unless a sidecar goes with it, several as zip files that the server limits in size. */
export async function download(ids: readonly string[], name = 'photos'): Promise<void> {
  if (ids.length === 1 && !areSidecarsWanted())
    return saveFile(toUrl(`/assets/${ids[0]}/original`));
  await attempt(async () => {
    const plan = await post<DownloadPlan>('/download/info', { assetIds: ids });
    showToast(
      t('Preparing {totalSize} for download …', { totalSize: formatBytes(plan.totalSize) }),
    );
    for (const [index, { assetIds }] of plan.archives.entries()) {
      const number = plan.archives.length > 1 ? `-${index + 1}` : '';
      await saveArchive(assetIds, `${name}${number}.zip`);
    }
  });
}

async function saveArchive(assetIds: readonly string[], fileName: string): Promise<void> {
  const path = areSidecarsWanted() ? '/download/archive-with-sidecars' : '/download/archive';
  const response = await fetch(toUrl(path), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ assetIds }),
  });
  if (!response.ok) throw new Error(t('The download could not be prepared.'));
  const url = URL.createObjectURL(await response.blob());
  saveFile(url, fileName);
  revokeLater(url);
}

/** Has the browser download an address, by default under the name that the server gives. */
export function saveFile(url: string, fileName = ''): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
}
