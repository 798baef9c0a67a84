import { timelineOf } from '../timeline/timeline-data.ts';
import { download } from '../timeline/asset-actions.ts';
import type { Album } from '../types.ts';

/** All photos of an album: their ids come from its own timeline. */
export async function downloadAlbum({ id, albumName }: Album): Promise<void> {
  const timeline = timelineOf({ albumId: id });
  await timeline.need(timeline.state.get().months.map(({ key }) => key));
  const ids = timeline.state.get().months.flatMap(({ columns }) => columns?.id ?? []);
  await download(ids, albumName || 'album');
}
