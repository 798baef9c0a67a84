import { getMediaType, isSidecar } from '../../media/formats.ts';
import { stackUnlessStacked } from '../stacks/index.ts';
import { type AlbumQueue, createAlbumQueue } from './album-queue.domain.ts';
import { type FolderFacts, readFolderFacts } from './folder-facts.ts';
import { type Group, groupFiles, type Version } from './groups.ts';
import { isPhotosFolder } from './icloud/icloud.ts';
import { runConcurrently } from './lanes.ts';
import type { ImportRun } from './run.ts';
import type { Survey } from './survey.ts';
import { type TakenItem, takeIn } from './take-in.domain.ts';
import type { Folder } from './walk.ts';

export type ImportFolderOptions = Pick<Survey, 'findAlbums' | 'photoPrism'> & {
  /** A folder that no export describes is an album of its name. */
  readonly namesAlbums: boolean;
};

/** Takes in the files of one folder; its items get into albums at the end. */
export async function takeFolder(
  run: ImportRun,
  folder: Folder,
  { findAlbums, namesAlbums, photoPrism }: ImportFolderOptions,
): Promise<void> {
  const facts = await readFolderFacts(folder, { namesAlbums, photoPrism });
  const isListed = isPhotosFolder(folder.path);
  const findTitles = (name: string) =>
    [facts.albumTitle ?? [], isListed ? findAlbums(name) : []].flat();
  const albums = createAlbumQueue(run);
  run.countOthers(folder.names.filter((name) => !isUsed(name)));
  try {
    await runConcurrently(groupFiles(folder.path, folder.names), (group) =>
      takeGroup(run, group, { facts, albums, findTitles }),
    );
  } finally {
    await albums.flush();
  }
}

/** Whether the import reads files of this name. */
const isUsed = (name: string): boolean =>
  getMediaType(name) !== undefined || isSidecar(name) || /\.(?:json|csv|html|yml)$/i.test(name);

type FolderState = {
  readonly facts: FolderFacts;
  readonly albums: AlbumQueue;
  readonly findTitles: (name: string) => readonly string[];
};

async function takeGroup(
  run: ImportRun,
  { original, edited }: Group,
  state: FolderState,
): Promise<void> {
  run.signal?.throwIfAborted();
  const [first] = await takeVersion(run, original, state);
  const [second] = edited ? await takeVersion(run, edited, state) : [];
  if (!first?.isShown || !second?.isShown) return;
  const [below, top] = [first.id, second.id];
  // Without an id it would be taken in: this is a dry run.
  if (!below || !top) run.count({ stacks: 1 });
  else if (below !== top && !run.isDryRun) {
    const stack = () => stackUnlessStacked(run.ctx, [top, below]);
    if (await run.attempt(original.file.path, stack)) run.count({ stacks: 1 });
  }
}

/** Returns the items as takeIn does; none if both are skipped. */
async function takeVersion(
  run: ImportRun,
  version: Version,
  { facts, albums, findTitles }: FolderState,
): Promise<(TakenItem | undefined)[]> {
  const { file, video } = version;
  const files = video ? 2 : 1;
  const found = (await facts.find(file.name)) ?? {};
  const titles = [...findTitles(file.name), ...(found.albums ?? [])];
  const items = found.isTrashed ? [] : await takeIn(run, version, found);
  if (found.isTrashed) run.count({ skipped: files });
  for (const item of items) {
    if (item?.isShown) albums.add(titles, item.id);
  }
  run.advance(files);
  return items;
}
