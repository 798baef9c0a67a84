import { type Timeline, getTimeline } from '../timeline/timeline-data.ts';
import { download } from '../timeline/asset-actions.ts';
import type { Album } from '../types.ts';

/** All photos of an album: their ids come from its own timeline. */
export const downloadAlbum = ({ id, albumName }: Album): Promise<void> =>
  downloadAll(getTimeline({ albumId: id }), albumName || 'album');

export async function downloadAll(timeline: Timeline, name: string): Promise<void> {
  await timeline.loadMonths(timeline.state.get().months.map(({ key }) => key));
  const ids = timeline.state.get().months.flatMap(({ columns }) => columns?.id ?? []);
  await download(ids, name);
}
