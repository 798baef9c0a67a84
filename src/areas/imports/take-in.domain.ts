import { guardPath } from '../../core/guarded-path.ts';
import type { Db } from '../../db/client.ts';
import { supplementAsset } from '../assets/index.ts';
import { addTagsToAsset, upsertFileTags } from '../tags/index.ts';
import {
  computeLocalDigest,
  findDuplicate,
  isStored,
  type LocalFile,
  publishLocalFile,
  publishLocalLivePhoto,
} from '../uploads/index.ts';
import type { Facts, ImportedAlbum } from './facts.ts';
import type { Version } from './groups.ts';
import type { MediaFile } from './media-files.ts';
import type { ImportRun, PlannedFile } from './run.ts';
import { lstat, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { getMediaType } from '../../media/formats.ts';
import { createAlbumQueue } from './album-queue.domain.ts';
import { type Folder, listParts } from './walk.ts';

/** The item of the library that a file has become, or was before. */
export type TakenItem = {
  /** Undefined in a dry run for one that is not there yet. */
  readonly id: string | undefined;
  /** Whether albums and stacks may have it. */
  readonly isShown: boolean;
};

type Known = {
  readonly id: string | undefined;
  readonly isTrashed: boolean;
  readonly isLocked: boolean;
  /** It is a live photo. */
  readonly hasVideo: boolean;
};

type Source = MediaFile & LocalFile & PlannedFile & { readonly known: Known | undefined };

/**
 * Takes in a photo or video, or a live photo. Returns the items of `file` and of `video`; undefined for one that is
 * refused or, if it is the video of a live photo, no item of its own.
 */
export async function takeIn(
  run: ImportRun,
  { file, video }: Version,
  facts: Facts,
): Promise<(TakenItem | undefined)[]> {
  const photo = await run.attempt(file.path, () => openSource(run, file, facts));
  const open = (video: MediaFile) => openSource(run, video, { ...facts, isFavorite: false });
  const moving = video && (await run.attempt(video.path, () => open(video)));
  if (photo && moving && !photo.known && !moving.known) {
    const halves = { photo, video: moving };
    return [await run.attempt(photo.path, () => takeLivePhoto(run, halves, facts))];
  }
  const take = async (source: Source | undefined, of = facts) =>
    source && run.attempt(source.path, () => takeFile(run, source, of));
  if (photo?.known && moving && !moving.known) {
    return [await take(photo), await takeClip(run, moving, { known: photo.known, facts, take })];
  }
  // Where the library has one of them, or one is refused, the other one comes as it is; the facts are the photo's.
  return [await take(photo), await take(moving, moving?.known ? {} : facts)];
}

type KnownPhoto = {
  readonly known: Known;
  readonly facts: Facts;
  readonly take: (clip: Source, facts: Facts) => Promise<TakenItem | undefined>;
};

/**
 * Takes in the video of a photo that the library has: not if it is in the trash, or has a video, of which this is another
 * version; and locked if the photo is.
 */
async function takeClip(run: ImportRun, clip: Source, { known, facts, take }: KnownPhoto) {
  if (known.isTrashed || known.hasVideo) {
    run.count(known.isTrashed ? { inTrash: 1 } : { duplicates: 1 });
    return undefined;
  }
  if (!known.isLocked) return take(clip, facts);
  return take({ ...clip, visibility: 'locked' }, { ...facts, visibility: 'locked' });
}

/** Completes the item that the library has of these bytes, SHA-1 in hex; returns undefined if it has none. */
export async function takeKnown(
  run: ImportRun,
  sha1: string,
  facts: Facts,
): Promise<TakenItem | undefined> {
  const known = await findKnown(run, sha1);
  return known && keepKnown(run, known, facts);
}

async function openSource(run: ImportRun, file: MediaFile, facts: Facts): Promise<Source> {
  const { sha1, size, modifiedAt } = await computeLocalDigest(guardPath(file.path));
  return {
    ...file,
    fileName: file.name,
    createdAt: facts.takenAt ?? modifiedAt,
    modifiedAt,
    isFavorite: facts.isFavorite ?? false,
    visibility: facts.visibility ?? 'timeline',
    sha1,
    size,
    known: await findKnown(run, sha1),
  };
}

/** Others may change the folder that is imported. */
const toGuarded = ({ path, sidecarPath, ...source }: Source): Source => ({
  ...source,
  path: guardPath(path),
  sidecarPath: sidecarPath && guardPath(sidecarPath),
});

async function findKnown(run: ImportRun, sha1: string): Promise<Known | undefined> {
  if (run.isPlanned(sha1)) {
    return { id: undefined, isTrashed: false, isLocked: false, hasVideo: false };
  }
  const found = await findDuplicate(run.ctx, run.ownerId, sha1);
  // A file whose original is lost is taken in again.
  return found && (await isStored(run.ctx, found)) ? found : undefined;
}

async function takeFile(run: ImportRun, source: Source, facts: Facts): Promise<TakenItem> {
  if (source.known) return keepKnown(run, source.known, facts);
  const isShown = facts.visibility !== 'locked';
  if (run.isDryRun) {
    run.plan(source);
    return { id: undefined, isShown };
  }
  const { ctx, ownerId } = run;
  const { id, status } = await publishLocalFile(ctx, ownerId, toGuarded(source), (db, outcome) =>
    writeFacts(run, db, outcome.id, facts),
  );
  run.count(status === 'created' ? { taken: 1, takenBytes: source.size } : { duplicates: 1 });
  return { id, isShown };
}

async function takeLivePhoto(
  run: ImportRun,
  halves: { readonly photo: Source; readonly video: Source },
  facts: Facts,
): Promise<TakenItem> {
  const both = [halves.photo, halves.video];
  const isShown = facts.visibility !== 'locked';
  if (run.isDryRun) {
    for (const half of both) run.plan(half);
    run.count({ livePhotos: 1 });
    return { id: undefined, isShown };
  }
  const { ctx, ownerId } = run;
  const { id } = await publishLocalLivePhoto(
    ctx,
    ownerId,
    { photo: toGuarded(halves.photo), video: toGuarded(halves.video) },
    (db, outcome) => writeFacts(run, db, outcome.id, facts),
  );
  const takenBytes = both.reduce((sum, { size }) => sum + size, 0);
  run.count({ taken: 2, takenBytes, livePhotos: 1 });
  return { id, isShown };
}

/** Completes an item that was there; nothing that its owner may have changed since is set again. */
async function keepKnown(run: ImportRun, known: Known, facts: Facts): Promise<TakenItem> {
  const { id, isTrashed, isLocked } = known;
  run.count(isTrashed ? { inTrash: 1 } : { duplicates: 1 });
  if (id && !isTrashed && !run.isDryRun && hasFacts(run, facts)) {
    await run.ctx.db.transaction((tx) => writeFacts(run, tx, id, facts));
  }
  return { id, isShown: !isTrashed && !isLocked };
}

const hasFacts = ({ tagsPeople }: ImportRun, facts: Facts) => {
  const { description, position, people, trustsDate } = facts;
  return Boolean(description || position || trustsDate || (tagsPeople && people?.length));
};

async function writeFacts(run: ImportRun, db: Db, id: string, facts: Facts): Promise<void> {
  await supplementAsset(db, id, facts);
  if (!run.tagsPeople || !facts.people?.length) return;
  const paths = facts.people.map((name) => `People|${name.replaceAll(/[/|]/g, ' ')}`);
  // A locked item makes no tags: their list is shown without the PIN.
  const mayGrow = facts.visibility !== 'locked';
  await addTagsToAsset(db, id, await upsertFileTags(db, run.ownerId, { paths, mayGrow }));
}

/**
 * Adds what symbolic links lead to into the album of their folder, once all files are taken in: other programs make albums
 * of links. A link that leads elsewhere is listed.
 */
export function deferLinks(run: ImportRun, folder: Folder, album: ImportedAlbum | undefined): void {
  const links = listParts(folder).flatMap(({ path, links = [] }) =>
    links.map((name) => join(path, name)),
  );
  if (links.length === 0) return;
  run.deferred.push(async () => {
    const albums = createAlbumQueue(run);
    const root = await realpath(run.root);
    for (const path of links) {
      run.signal?.throwIfAborted();
      const target = await findTarget(root, path);
      if (target === undefined) run.note({ path, reasons: ['link_left'] });
      else if (album) {
        const item = await run.attempt(path, async () => {
          const { sha1 } = await computeLocalDigest(guardPath(target));
          return takeKnown(run, sha1, {});
        });
        if (item?.isShown) albums.add([album], item.id);
      }
    }
    await albums.flush();
  });
}

/** Returns the path of the photo or video that a link leads to, if it is below the folder that is imported. */
async function findTarget(root: string, path: string): Promise<string | undefined> {
  try {
    const target = await realpath(path);
    const isInside = target.startsWith(root + sep) && getMediaType(target) !== undefined;
    return isInside && (await lstat(target)).isFile() ? target : undefined;
  } catch {
    // It leads nowhere.
    return undefined;
  }
}
