import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ctx } from '../../../core/context.ts';
import { badRequest, notFound } from '../../../core/errors.ts';
import { DownloadTooLarge, RequestRefused } from '../../../inference/models/download.ts';
import { getExtension, getMediaType } from '../../../media/formats.ts';
import { getScratchFolder } from '../../../storage/index.ts';
import { stackUnlessStacked } from '../../stacks/index.ts';
import { tagManyAssets, upsertTags } from '../../tags/index.ts';
import { diskFull, quotaExceeded } from '../../uploads/index.ts';
import { createAlbumQueue } from '../album-queue.domain.ts';
import type { Facts } from '../facts.ts';
import type { Version } from '../groups.ts';
import { runConcurrently } from '../lanes.ts';
import type { MediaFile } from '../media-files.ts';
import type { ImportReport } from '../report.ts';
import {
  completeRun,
  type ImportEvents,
  type ImportOptions,
  type ImportRun,
  measureRoom,
  openRun,
} from '../run.ts';
import { type TakenItem, takeIn, takeKnown } from '../take-in.domain.ts';
import type { ImmichClient } from './client.ts';
import { listLeftBehind, noteMembers } from './left-behind.ts';
import { createSidecar } from './sidecar.ts';
import { type ImmichAsset, PAGE_SIZE } from './wire.ts';

/**
 * Takes the photos and videos of an account of Immich into the library of an account, whose session `ctx` has, with
 * favorites, archive, albums, tags, stacks, and the dates, places, descriptions and ratings that were changed there.
 * Notes what stays behind: what is locked or in the trash, links, memories, partners, members. What the library has is
 * recognised by its checksum and not downloaded. Throws ImmichUnavailable; another run goes on from there.
 */
export async function importFromImmich(
  ctx: Ctx,
  { ownerId, client }: { readonly ownerId: string; readonly client: ImmichClient },
  options: ImportOptions,
  events: ImmichImportEvents,
): Promise<ImportReport> {
  const userId = await client.getUserId();
  const total = await client.countAssets();
  const scratch = getScratchFolder(ctx.paths);
  await mkdir(scratch, { recursive: true });
  const root = await mkdtemp(join(scratch, 'immich-'));
  try {
    const run = await openRun(ctx, { ownerId, root }, options, { ...events, total });
    const source: Source = { run, client, userId, root, items: new Map(), events };
    return await completeRun(run, async () => {
      for (const visibility of ['timeline', 'archive'] as const) {
        for await (const page of client.listAssets({ visibility }, refuseOdd(run))) {
          await runConcurrently(page, (asset) => takeAsset(source, asset));
        }
      }
      await takeAlbums(source);
      if (!run.isDryRun) await takeTags(source);
      await takeStacks(source);
      for await (const note of listLeftBehind(client, userId)) run.note(note);
    });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

export type ImmichImportEvents = ImportEvents & {
  /** An asset has become an item of the library, or was one. */
  readonly onItem?: (id: string, asset: ImmichAsset) => void;
  /** An album or a tag has been dealt with. */
  readonly onCollection?: (kind: 'albums' | 'tags', done: number, report: ImportReport) => void;
};

type Source = {
  readonly events: ImmichImportEvents;
  readonly run: ImportRun;
  readonly client: ImmichClient;
  readonly userId: string;
  /** Folder of downloads. */
  readonly root: string;
  /** The items that assets have become, by the id of the asset there. */
  readonly items: Map<string, TakenItem>;
};

/** Lists what the other server describes as no server of Immich does, by its name: all else is taken. */
const refuseOdd = (run: ImportRun) => (name: string) =>
  run.refuse(name, badRequest('The other server describes it in a way that cannot be read'));

async function takeAsset(source: Source, asset: ImmichAsset): Promise<void> {
  const { run, userId, items } = source;
  // Assets of partners are among the results.
  if (asset.ownerId !== userId) return;
  // Versions that do not know what was asked for list more: videos of live photos, which come with their photos, too.
  if (asset.isTrashed || asset.visibility === 'hidden') {
    run.count({ skipped: asset.isTrashed ? 1 : 0 });
    run.advance(1);
    return;
  }
  const facts = toFacts(asset);
  const sha1 = Buffer.from(asset.checksum, 'base64').toString('hex');
  const hasChecksum = asset.libraryId === null || asset.libraryId === undefined;
  const name = asset.originalFileName;
  if (getMediaType(name) === undefined) run.countOthers([name]);
  else {
    const known = hasChecksum ? await takeKnown(run, sha1, facts) : undefined;
    const item =
      known ??
      (run.isDryRun ? planAsset(run, asset, sha1) : await fetchAsset(source, asset, facts));
    if (item) items.set(asset.id, item);
    if (item?.id && item.isShown) source.events.onItem?.(item.id, asset);
  }
  run.advance(1);
}

const VISIBILITIES = ['archive', 'locked'] as const;

function toFacts(asset: ImmichAsset): Facts {
  return {
    takenAt: new Date(asset.fileCreatedAt),
    description: asset.exifInfo?.description || undefined,
    isFavorite: asset.isFavorite,
    visibility: VISIBILITIES.find((visibility) => visibility === asset.visibility),
    people: (asset.people ?? []).flatMap(({ name }) => name || []),
  };
}

function planAsset(run: ImportRun, asset: ImmichAsset, sha1: string): TakenItem {
  run.plan({ sha1, size: asset.exifInfo?.fileSizeInByte ?? 0 });
  if (asset.livePhotoVideoId) run.count({ livePhotos: 1 });
  return { id: undefined, isShown: true };
}

async function fetchAsset(
  source: Source,
  asset: ImmichAsset,
  facts: Facts,
): Promise<TakenItem | undefined> {
  const folder = await mkdtemp(join(source.root, 'asset-'));
  try {
    const version = await source.run.attempt(asset.originalFileName, () =>
      downloadVersion(source, asset, folder),
    );
    if (!version) return undefined;
    const [item] = await takeIn(source.run, version, facts);
    return item;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Downloads an asset, with the video of a live photo, and writes a sidecar of what was changed there. */
async function downloadVersion(
  source: Source,
  asset: ImmichAsset,
  folder: string,
): Promise<Version> {
  const file = await downloadFile(source, asset, join(folder, 'original'));
  const own = await source.run.readOwnMetadata(file);
  const sidecar = own && createSidecar(asset, own);
  const sidecarPath = sidecar === undefined ? undefined : join(folder, 'original.xmp');
  if (sidecar !== undefined && sidecarPath) await writeFile(sidecarPath, sidecar);
  const whole = { ...file, sidecarPath };
  // The video of a motion photo is in the photo itself.
  if (!asset.livePhotoVideoId || own?.motionPhoto) return { file: whole };
  const video = await source.client.getAsset(asset.livePhotoVideoId);
  return { file: whole, video: await downloadFile(source, video, join(folder, 'video')) };
}

async function downloadFile(
  { run, client }: Source,
  { id, originalFileName: name, fileCreatedAt, exifInfo }: ImmichAsset,
  target: string,
): Promise<MediaFile> {
  const type = getMediaType(name);
  if (!type) throw notFound('The type of the file');
  const { quotaBytes, diskBytes } = await measureRoom(run.ctx, run.ownerId);
  const room = Math.max(0, Math.min(quotaBytes, diskBytes));
  const noRoom = quotaBytes < diskBytes ? quotaExceeded : diskFull;
  if (room < (exifInfo?.fileSizeInByte ?? 0)) throw noRoom();
  const path = `${target}.${getExtension(name)}`;
  try {
    await client.downloadOriginal(id, path, room);
  } catch (error) {
    if (error instanceof RequestRefused) throw notFound('The original');
    if (error instanceof DownloadTooLarge) throw noRoom();
    throw error;
  }
  const time = new Date(fileCreatedAt);
  await utimes(path, time, time);
  return { name, path, type, sidecarPath: undefined };
}

async function takeAlbums({ run, client, userId, items, events }: Source): Promise<void> {
  for (const [at, found] of (await client.listAlbums(refuseOdd(run))).entries()) {
    const { id, albumName: title, description } = found;
    const origin = { source: `immich:${userId}`, key: id };
    const album = { title, description: description ?? undefined, origin };
    const note = noteMembers(found);
    if (note) run.note(note);
    const albums = createAlbumQueue(run);
    for await (const page of client.listAssets({ albumIds: [id] })) {
      for (const asset of page) {
        const item = items.get(asset.id);
        if (item?.isShown) albums.add([album], item.id);
      }
    }
    await albums.flush();
    events.onCollection?.('albums', at + 1, run.report);
  }
}

async function takeTags({ run, client, items, events }: Source): Promise<void> {
  // Immich finds by a tag what has one below it, too: that is not tagged twice.
  const tags = (await client.listTags(refuseOdd(run))).toSorted((one, other) =>
    one.value < other.value ? 1 : -1,
  );
  const tagged = new Map<string, string[]>();
  for (const [at, { id, value }] of tags.entries()) {
    const assetIds: string[] = [];
    for await (const page of client.listAssets({ tagIds: [id] })) {
      for (const asset of page) {
        const paths = tagged.get(asset.id) ?? [];
        const item = items.get(asset.id);
        if (!item?.id || !item.isShown || paths.some((path) => path.startsWith(`${value}/`)))
          continue;
        tagged.set(asset.id, [...paths, value]);
        assetIds.push(item.id);
      }
    }
    if (assetIds.length > 0) await run.attempt(value, () => tagAssets(run.ctx, value, assetIds));
    events.onCollection?.('tags', at + 1, run.report);
  }
}

async function tagAssets(ctx: Ctx, value: string, assetIds: readonly string[]): Promise<void> {
  const tagIds = (await upsertTags(ctx, [value])).map(({ id }) => id);
  for (let at = 0; at < assetIds.length; at += PAGE_SIZE) {
    await tagManyAssets(ctx, { tagIds, assetIds: assetIds.slice(at, at + PAGE_SIZE) });
  }
}

async function takeStacks({ run, client, items }: Source): Promise<void> {
  for (const { primaryAssetId, assets } of await client.listStacks(refuseOdd(run))) {
    const others = assets.filter(({ id }) => id !== primaryAssetId);
    const members = [primaryAssetId, ...others.map(({ id }) => id)].map((id) => items.get(id));
    const shown = members.filter((item) => item?.isShown);
    if (shown.length < 2 || !members[0]?.isShown) continue;
    const ids = [...new Set(shown.flatMap((item) => item?.id ?? []))];
    if (run.isDryRun) run.count({ stacks: 1 });
    else if (ids.length > 1) {
      const isNew = await run.attempt(primaryAssetId, () => stackUnlessStacked(run.ctx, ids));
      if (isNew) run.count({ stacks: 1 });
    }
  }
}
