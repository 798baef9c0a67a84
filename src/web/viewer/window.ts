import { fetchAsset } from '../timeline/asset-actions.ts';
import type { Month } from '../timeline/sections.ts';
import type { Timeline } from '../timeline/timeline-data.ts';
import type { Asset } from '../types.ts';

/** What the viewer must know of a photo before it asks for more. */
export type Shown = {
  id: string;
  ratio: number;
  isImage: boolean;
  hash: string | null;
  liveVideoId: string | null;
};

/** A stretch of the timeline; the viewer never holds all of it. */
export type Stretch = { items: readonly Shown[]; isStart: boolean; isEnd: boolean };

export const REACH = 20;

/** The photo and its neighbours in time, over the ends of months. */
export async function stretchAround(timeline: Timeline, id: string): Promise<Stretch> {
  let month = monthWith(timeline, id);
  if (!month) {
    if (timeline.state.get().status !== 'ready') await timeline.refresh();
    month = monthWith(timeline, id);
  }
  if (!month) {
    const asset = await fetchAsset(id);
    await timeline.loadMonth(`${asset.localDateTime.slice(0, 7)}-01`);
    month = monthWith(timeline, id);
    // It exists, but not on this timeline: an archived photo, say. Shown alone.
    if (!month) return { items: [ofAsset(asset)], isStart: true, isEnd: true };
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

const monthWith = (timeline: Timeline, id: string): Month | undefined =>
  timeline.state.get().months.find(({ columns }) => columns?.id.includes(id));

async function collect(
  timeline: Timeline,
  key: string,
  from: number,
  by: 1 | -1,
): Promise<{ items: Shown[]; isEnd: boolean }> {
  const items: Shown[] = [];
  let at = from;
  let month = await loaded(timeline, key, 0);
  while (items.length < REACH) {
    const length = month?.columns?.id.length ?? 0;
    if (month && at >= 0 && at < length) {
      items.push(itemAt(month, at));
      at += by;
      continue;
    }
    month = month && (await loaded(timeline, month.key, by));
    if (!month) return { items, isEnd: true };
    at = by > 0 ? 0 : (month.columns?.id.length ?? 0) - 1;
  }
  return { items, isEnd: false };
}

/** The month `by` places away from the named one, with its photos. */
async function loaded(timeline: Timeline, key: string, by: number): Promise<Month | undefined> {
  const find = () => timeline.state.get().months;
  const neighbour = find()[find().findIndex((month) => month.key === key) + by];
  if (!neighbour) return undefined;
  await timeline.loadMonth(neighbour.key);
  return find().find((month) => month.key === neighbour.key);
}

const itemAt = ({ columns }: Month, at: number): Shown => ({
  id: columns?.id[at] ?? '',
  ratio: columns?.ratio[at] ?? 1,
  isImage: columns?.isImage[at] ?? true,
  hash: columns?.thumbhash[at] ?? null,
  liveVideoId: columns?.livePhotoVideoId[at] ?? null,
});

export const ofAsset = (asset: Asset): Shown => ({
  id: asset.id,
  ratio: asset.width && asset.height ? asset.width / asset.height : 1.5,
  isImage: asset.type === 'IMAGE',
  hash: asset.thumbhash,
  liveVideoId: asset.livePhotoVideoId ?? null,
});
