import { fetchAsset } from '../assets/asset-actions.ts';
import type { Month } from '../timeline/sections.ts';
import type { Timeline } from '../timeline/timeline-data.ts';
import type { Asset } from '../types.ts';

/** As much of a photo as its slide needs. */
export type PhotoItem = {
  id: string;
  ratio: number;
  isImage: boolean;
  isAudio: boolean;
  hash: string | null;
  liveVideoId: string | null;
};

/** A part of the timeline; the viewer never holds all of it. */
export type PhotoWindow = { items: readonly PhotoItem[]; isStart: boolean; isEnd: boolean };

export const REACH = 20;

/** Returns a photo of a month that the timeline holds, without its neighbours: their months may not be here. */
export function getLoadedPhoto(timeline: Timeline, id: string): PhotoWindow | undefined {
  const month = findMonth(timeline, id);
  const at = month?.columns?.id.indexOf(id) ?? -1;
  return month && { items: [itemAt(month, at)], isStart: false, isEnd: false };
}

/** Returns a photo whose neighbours are not known yet. */
export const toSinglePhotoWindow = (asset: Asset): PhotoWindow => ({
  items: [toPhotoItem(asset)],
  isStart: false,
  isEnd: false,
});

/**
 * Returns the photo with up to `REACH` neighbours on each side, over the ends of months. `requested`:
 * its asset where that is being fetched already.
 */
export async function getWindowAround(
  timeline: Timeline,
  id: string,
  requested?: Promise<Asset>,
): Promise<PhotoWindow> {
  let month = findMonth(timeline, id);
  if (!month) {
    if (timeline.state.get().status !== 'ready') await timeline.refresh();
    month = findMonth(timeline, id);
  }
  if (!month) {
    const asset = await (requested ?? fetchAsset(id));
    await timeline.loadMonth(`${asset.localDateTime.slice(0, 7)}-01`);
    month = findMonth(timeline, id);
    // It exists, but not on this timeline: an archived photo, say. PhotoItem alone.
    if (!month) return { items: [toPhotoItem(asset)], isStart: true, isEnd: true };
  }
  const at = month.columns?.id.indexOf(id) ?? 0;
  const back = await collect(timeline, month.key, at - 1, -1);
  const forth = await collect(timeline, month.key, at + 1, 1);
  return {
    items: [...back.items.toReversed(), itemAt(month, at), ...forth.items],
    isStart: back.isEnd,
    isEnd: forth.isEnd,
  };
}

const findMonth = (timeline: Timeline, id: string): Month | undefined =>
  timeline.state.get().months.find(({ columns }) => columns?.id.includes(id));

async function collect(
  timeline: Timeline,
  key: string,
  from: number,
  by: 1 | -1,
): Promise<{ items: PhotoItem[]; isEnd: boolean }> {
  const items: PhotoItem[] = [];
  let at = from;
  let month = await loadNeighbour(timeline, key, 0);
  while (items.length < REACH) {
    const length = month?.columns?.id.length ?? 0;
    if (month && at >= 0 && at < length) {
      items.push(itemAt(month, at));
      at += by;
      continue;
    }
    month = month && (await loadNeighbour(timeline, month.key, by));
    if (!month) return { items, isEnd: true };
    at = by > 0 ? 0 : (month.columns?.id.length ?? 0) - 1;
  }
  return { items, isEnd: false };
}

/** Loads and returns the month `by` places after the named one, if there is one. */
async function loadNeighbour(
  timeline: Timeline,
  key: string,
  by: number,
): Promise<Month | undefined> {
  const find = () => timeline.state.get().months;
  const neighbour = find()[find().findIndex((month) => month.key === key) + by];
  if (!neighbour) return undefined;
  await timeline.loadMonth(neighbour.key);
  return find().find((month) => month.key === neighbour.key);
}

/** Returns how many photos a timeline has. */
export const countPhotos = (timeline: Timeline): number =>
  timeline.state.get().months.reduce((sum, { count }) => sum + count, 0);

/** Returns the photo at a position from the newest, which is 0, or undefined beyond the end. */
export async function getPhotoAt(
  timeline: Timeline,
  position: number,
): Promise<PhotoItem | undefined> {
  let at = position;
  for (const { key, count } of timeline.state.get().months) {
    if (at < count) {
      const month = await loadNeighbour(timeline, key, 0);
      return month?.columns?.id[at] === undefined ? undefined : itemAt(month, at);
    }
    at -= count;
  }
  return undefined;
}

const itemAt = ({ columns }: Month, at: number): PhotoItem => ({
  id: columns?.id[at] ?? '',
  ratio: columns?.ratio[at] ?? 1,
  isImage: columns?.isImage[at] ?? true,
  isAudio: columns?.isAudio?.[at] ?? false,
  hash: columns?.thumbhash[at] ?? null,
  liveVideoId: columns?.livePhotoVideoId[at] ?? null,
});

export const toPhotoItem = (asset: Asset): PhotoItem => ({
  id: asset.id,
  ratio: asset.width && asset.height ? asset.width / asset.height : 1.5,
  isImage: asset.type === 'IMAGE',
  isAudio: asset.type === 'AUDIO',
  hash: asset.thumbhash,
  liveVideoId: asset.livePhotoVideoId ?? null,
});
