import { type Timeline, getTimeline } from '../../data/timeline/timeline-data.ts';
import { download } from '../../data/assets/asset-actions.ts';
import type { Album } from '../../data/types.ts';
import { toAlbumFilter } from './album-filter.ts';

/** All photos of an album: their ids come from its own timeline. */
export const downloadAlbum = (album: Album): Promise<void> =>
  downloadAll(getTimeline(toAlbumFilter(album)), album.albumName || 'album');

export async function downloadAll(timeline: Timeline, name: string): Promise<void> {
  // An album in its order by hand shows no timeline.
  if (timeline.state.get().status !== 'ready') await timeline.refresh();
  await timeline.loadMonths(timeline.state.get().months.map(({ key }) => key));
  const ids = timeline.state.get().months.flatMap(({ columns }) => columns?.id ?? []);
  await download(ids, name);
}
