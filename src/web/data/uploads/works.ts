import type { UploadAlbum } from './album.ts';
import { getNextBatch, type Item, uploads } from './items.ts';
import { computeSize, toWork, type UploadFile, type Work } from './upload-work.ts';

/** The files of each item that has not arrived. */
export const works = new Map<number, Work>();
let nextId = 1;

type NewItem = {
  /** One file, or the still and the video of a live photo. */
  readonly files: readonly File[];
  /** The XMP file of each that has one. */
  readonly sidecars?: ReadonlyMap<File, File>;
  readonly folder: string;
  readonly album: UploadAlbum | undefined;
  /** Why it is not sent. */
  readonly error?: string | undefined;
};

/** Appends items to the queue, without starting it. Returns their ids. */
export function addItems(list: readonly NewItem[]): number[] {
  const batch = getNextBatch(uploads.get().items);
  const items = list.map(({ files, sidecars, folder, album, error }): Item => {
    const id = nextId++;
    const work = toWork(files, sidecars);
    works.set(id, work);
    return {
      id,
      batch,
      name: files[0]?.name ?? '',
      size: computeSize(work),
      isLive: files.length > 1,
      status: error === undefined ? 'waiting' : 'failed',
      sent: 0,
      error,
      isRefused: error !== undefined,
      assetId: undefined,
      folder,
      album,
    };
  });
  uploads.set((old) => ({
    ...old,
    items: [...old.items, ...items],
    isPaused: old.isPaused && old.isRunning,
    isOpen: old.isOpen || items.length > 0,
  }));
  return items.map(({ id }) => id);
}

/** Returns the files of an item; none when it has arrived. */
export const listParts = (id: number): readonly UploadFile[] => works.get(id)?.parts ?? [];
