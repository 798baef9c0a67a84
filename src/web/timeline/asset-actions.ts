import { get, post, put } from '../api.ts';
import { attempt, showToast } from '../toast.tsx';
import type { Asset, AssetChange, AssetVisibility, DownloadPlan } from '../types.ts';
import { formatBytes, formatCount } from '../format.ts';
import { refreshTimelines, type Timeline } from './timeline-data.ts';

export const fetchAsset = (id: string): Promise<Asset> => get(`/assets/${id}`);
export const changeAsset = (id: string, change: AssetChange): Promise<Asset> =>
  put(`/assets/${id}`, change);

const AT_ONCE = 4;

/** One request per photo, a few at a time: the API of this version has no bulk change. */
async function changeAssets(ids: ReadonlySet<string>, change: AssetChange): Promise<void> {
  const open = [...ids];
  const work = async () => {
    for (let id = open.pop(); id !== undefined; id = open.pop()) await changeAsset(id, change);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, open.length) }, work));
}

/** Shown at once, taken back when the server refuses. */
export async function setFavorite(
  timeline: Timeline,
  ids: ReadonlySet<string>,
  isFavorite: boolean,
): Promise<boolean> {
  timeline.mark(ids, isFavorite);
  const isDone = await attempt(() => changeAssets(ids, { isFavorite }));
  if (!isDone) timeline.mark(ids, !isFavorite);
  await refreshTimelines();
  return isDone;
}

export async function setVisibility(
  ids: ReadonlySet<string>,
  visibility: AssetVisibility & ('archive' | 'timeline'),
): Promise<boolean> {
  const what = formatCount(ids.size, 'item');
  const done = visibility === 'archive' ? `${what} archived` : `${what} back on the timeline`;
  const isDone = await attempt(() => changeAssets(ids, { visibility }), done);
  await refreshTimelines();
  return isDone;
}

/** One file comes as it is, several as zip files that the server cuts to a bearable size. */
export async function download(ids: readonly string[], name = 'photos'): Promise<void> {
  if (ids.length === 1) return save(`/api/assets/${ids[0]}/original`);
  await attempt(async () => {
    const plan = await post<DownloadPlan>('/download/info', { assetIds: ids });
    showToast(`Preparing ${formatBytes(plan.totalSize)} for download …`);
    for (const [index, { assetIds }] of plan.archives.entries()) {
      const number = plan.archives.length > 1 ? `-${index + 1}` : '';
      await saveArchive(assetIds, `${name}${number}.zip`);
    }
  });
}

async function saveArchive(assetIds: readonly string[], fileName: string): Promise<void> {
  const response = await fetch('/api/download/archive', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ assetIds }),
  });
  if (!response.ok) throw new Error('The download could not be made.');
  const url = URL.createObjectURL(await response.blob());
  save(url, fileName);
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

function save(url: string, fileName = ''): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
}
