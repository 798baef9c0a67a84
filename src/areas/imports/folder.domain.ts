import { stackUnlessStacked } from '../stacks/index.ts';
import { type AlbumQueue, createAlbumQueue } from './album-queue.domain.ts';
import { type FolderFacts, readFolderFacts } from './folder-facts.ts';
import { type Group, groupFiles, type Version } from './groups.ts';
import { isPhotosFolder } from './icloud/icloud.ts';
import type { ImportRun } from './run.ts';
import type { Survey } from './survey.ts';
import { type TakenItem, takeIn } from './take-in.domain.ts';
import type { Folder } from './walk.ts';

/** Groups that are taken in at once: each waits for the disk most of the time. */
const CONCURRENCY = 4;

export type ImportFolderOptions = Pick<Survey, 'findAlbums'> & {
  /** A folder that no export describes is an album of its name. */
  readonly namesAlbums: boolean;
};

/** Takes in the files of one folder; its items get into albums at the end. */
export async function takeFolder(
  run: ImportRun,
  folder: Folder,
  { findAlbums, namesAlbums }: ImportFolderOptions,
): Promise<void> {
  const facts = await readFolderFacts(folder, { namesAlbums });
  const isListed = isPhotosFolder(folder.path);
  const findTitles = (name: string) =>
    [facts.albumTitle ?? [], isListed ? findAlbums(name) : []].flat();
  const albums = createAlbumQueue(run);
  try {
    await runConcurrently(groupFiles(folder.path, folder.names), (group) =>
      takeGroup(run, group, { facts, albums, findTitles }),
    );
  } finally {
    await albums.flush();
  }
}

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
  const first = await takeVersion(run, original, state);
  const second = edited && (await takeVersion(run, edited, state));
  if (!first?.isShown || !second?.isShown) return;
  if (run.isDryRun) {
    if (!first.id || !second.id) run.count({ stacks: 1 });
  } else if (first.id !== second.id) {
    if (await stackUnlessStacked(run.ctx, [second.id!, first.id!])) run.count({ stacks: 1 });
  }
}

/** Returns undefined for one that is skipped or refused. */
async function takeVersion(
  run: ImportRun,
  version: Version,
  { facts, albums, findTitles }: FolderState,
): Promise<TakenItem | undefined> {
  const { file, video } = version;
  const files = video ? 2 : 1;
  try {
    const found = (await facts.find(file.name)) ?? {};
    if (found.isTrashed) {
      run.count({ skipped: files });
      return undefined;
    }
    const item = await takeIn(run, version, found);
    if (item.isShown) albums.add(findTitles(file.name), item.id);
    return item;
  } catch (error) {
    run.refuse(file.path, error);
    return undefined;
  } finally {
    run.advance(files);
  }
}

/** Stops at the first error, and throws it when the work that has begun is done. */
async function runConcurrently<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const runLane = async () => {
    for (const item of left) {
      try {
        await work(item);
      } catch (error) {
        // The other lanes find nothing left.
        left.return?.();
        throw error;
      }
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: CONCURRENCY }, runLane));
  const failed = lanes.find((lane) => lane.status === 'rejected');
  if (failed) throw failed.reason;
}
