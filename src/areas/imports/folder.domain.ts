import { basename, join } from 'node:path';
import { getFirst } from '../../core/required.ts';
import { isSidecar } from '../../media/formats.ts';
import { canBeLiveStill, canBeLiveVideo, getLiveStem } from '../../media/live-photo-halves.ts';
import { stackUnlessStacked } from '../stacks/index.ts';
import { type AlbumQueue, createAlbumQueue } from './album-queue.domain.ts';
import { type Facts, type ImportedAlbum, isLocked } from './facts.ts';
import { type FolderFacts, readFolderFacts } from './folder-facts.ts';
import { type Group, groupFiles, type Version } from './groups.ts';
import { isPhotosFolder } from './icloud/icloud.ts';
import { runConcurrently } from './lanes.ts';
import { deferLinks, type TakenItem, takeIn } from './take-in.domain.ts';
import { listMediaFiles, type MediaFile } from './media-files.ts';
import { type NoteReason, toNotedSource } from './notes.ts';
import { pairFiles, type Pairs } from './pairs.ts';
import type { ImportRun } from './run.ts';
import type { Survey } from './survey.ts';
import { type Folder, listParts } from './walk.ts';

export type ImportFolderOptions = Pick<
  Survey,
  'entries' | 'findAlbums' | 'findDetails' | 'photoPrism' | 'program'
> & {
  /** A folder that no export describes is an album of its name. */
  readonly namesAlbums: boolean;
};

/** Takes in the files of one folder; its items get into albums at the end. */
export async function takeFolder(
  run: ImportRun,
  folder: Folder,
  { entries, findAlbums, namesAlbums, photoPrism, program, ...survey }: ImportFolderOptions,
): Promise<void> {
  const facts = await run.attempt(folder.path, () =>
    readFolderFacts(folder, {
      namesAlbums,
      photoPrism,
      findElsewhere: survey.findDetails,
      isTakeout: program === 'takeout',
    }),
  );
  if (!facts) return;
  const isListed = isPhotosFolder(folder.path);
  const listAlbums = (name: string) => [facts.album ?? [], isListed ? findAlbums(name) : []].flat();
  const parts = listParts(folder);
  const files = listMediaFiles(parts);
  const used = new Set(files.map(({ path }) => basename(path)));
  for (const { names } of parts) {
    run.countOthers(names.filter((name) => !used.has(name) && !isDescription(name)));
  }
  const albums = createAlbumQueue(run);
  const faults: Faults = new Map();
  const pairs = await pairFiles(files, {
    async read(file) {
      run.signal?.throwIfAborted();
      return remember(faults, file, () => run.readOwnMetadata(file));
    },
    findFacts: (file) => remember(faults, file, () => facts.findOwn(file.name)),
  });
  noteAbsent(run, parts, facts);
  deferLinks(run, folder, facts.album);
  const state = {
    facts,
    albums,
    entries,
    listAlbums,
    pairs,
    findFault: createFaultFinder(files, faults),
  };
  try {
    const groups = groupFiles(files, pairs.videos, facts.findOriginal);
    await runConcurrently(groups, (group) => takeGroup(run, group, state));
  } finally {
    await albums.flush();
  }
}

/** Whether the import reads files of this name for what they say of others. */
const isDescription = (name: string): boolean =>
  isSidecar(name) || /\.(?:json|csv|html|yml)$/i.test(name);

type Faults = Map<MediaFile, { readonly error: unknown }>;

/** Returns undefined, and remembers the error, if the work fails. */
async function remember<T>(faults: Faults, file: MediaFile, work: () => Promise<T>) {
  try {
    return await work();
  } catch (error) {
    faults.set(file, { error });
    return undefined;
  }
}

/** Finds why it is not known now whether a file is a half of a live photo: it, or one of its name, was not read. */
function createFaultFinder(files: readonly MediaFile[], faults: Faults) {
  const stems = Map.groupBy(files, ({ name }) => getLiveStem(name));
  return ({ name }: MediaFile) => {
    const namesakes = stems.get(getLiveStem(name)) ?? [];
    return namesakes.length > 1 ? namesakes.map((one) => faults.get(one)).find(Boolean) : undefined;
  };
}

/** Archives that nobody has unpacked are parts of an export that are not taken in. */
const ARCHIVE = /\.(?:zip|tgz|tar|tar\.gz)$/i;

/** Lists what the export lacks. The descriptions of an album may have their files elsewhere. */
function noteAbsent(run: ImportRun, parts: readonly Folder[], facts: FolderFacts): void {
  if (!facts.isExport) return;
  const { title, hasMore } = facts.album ?? {};
  if (hasMore)
    run.note({ path: getFirst(parts).path, reasons: ['album_left'], album: title ?? '' });
  const strays = facts.album?.origin ? [] : facts.listStrays();
  for (const { path, facts } of strays) {
    if (!facts.isTrashed) run.note({ path, reasons: ['file_absent'] });
  }
  for (const { path, names } of parts) {
    for (const name of names.filter((name) => ARCHIVE.test(name))) {
      run.note({ path: join(path, name), reasons: ['packed'] });
    }
  }
}

type FolderState = {
  readonly entries: Survey['entries'];
  readonly findFault: ReturnType<typeof createFaultFinder>;
  readonly facts: FolderFacts;
  readonly pairs: Pairs;
  readonly albums: AlbumQueue;
  readonly listAlbums: (name: string) => readonly ImportedAlbum[];
};

async function takeGroup(
  run: ImportRun,
  { original, edited }: Group,
  state: FolderState,
): Promise<void> {
  run.signal?.throwIfAborted();
  const items = [];
  // The latest of the edited versions shows, as the name tells it.
  for (const version of [original, ...edited])
    items.push((await takeVersion(run, version, state))[0]);
  const shown = items.filter((item) => item?.isShown);
  if (!items[0]?.isShown || shown.length < 2) return;
  const ids = [...new Set(shown.flatMap((item) => item?.id ?? []))].toReversed();
  // Without an id it would be taken in: this is a dry run.
  if (shown.some((item) => !item?.id)) run.count({ stacks: 1 });
  else if (ids.length > 1 && !run.isDryRun) {
    const stack = () => stackUnlessStacked(run.ctx, ids);
    if (await run.attempt(original.file.path, stack)) run.count({ stacks: 1 });
  }
}

/** Returns the items as takeIn does; none if both are skipped. */
async function takeVersion(
  run: ImportRun,
  version: Version,
  state: FolderState,
): Promise<(TakenItem | undefined)[]> {
  const { file, video } = version;
  const files = video ? 2 : 1;
  const found = await run.attempt(file.path, async () => {
    const fault = state.findFault(file);
    if (fault) throw fault.error;
    const facts = await findFacts(version, state);
    return run.trustsDates && facts.takenAt ? { ...facts, trustsDate: true } : facts;
  });
  if (found && (await deferOrphan(run, version, { ...state, found }))) return [];
  const items = found ? await takeKnown(run, version, { ...state, found }) : [];
  run.advance(files);
  return items;
}

/**
 * Defers a video that an export says nothing about until all photos are known: one with the same identifier, in another
 * folder, may be hidden. Returns whether it did.
 */
async function deferOrphan(
  run: ImportRun,
  version: Version,
  { found, ...state }: FolderState & { readonly found: Facts },
): Promise<boolean> {
  const { file, video } = version;
  if (canBeLiveStill(file.name) && (found.isTrashed || isLocked(found))) {
    const id = (await run.readOwnMetadata(file).catch(() => undefined))?.contentIdentifier;
    if (id) run.hidden.set(id, found);
  }
  const id = state.pairs.getIdentifier(file);
  const isOrphan = !video && canBeLiveVideo(file.name) && found.basis === 'none';
  if (!isOrphan || id === undefined || !state.facts.isExport) return false;
  run.deferred.push(async () => {
    run.signal?.throwIfAborted();
    const albums = createAlbumQueue(run);
    const hidden = run.hidden.get(id);
    const facts = hidden ? ({ ...hidden, isFavorite: false, basis: 'photo' } as const) : found;
    await takeKnown(run, version, { ...state, albums, found: facts });
    run.advance(1);
    await albums.flush();
  });
  return true;
}

async function takeKnown(
  run: ImportRun,
  version: Version,
  { found, facts, albums, entries, listAlbums }: FolderState & { readonly found: Facts },
): Promise<(TakenItem | undefined)[]> {
  const { file, video } = version;
  const holders = [...listAlbums(file.name), ...(found.albums ?? []), ...entries.find(found)];
  notePeople(run, found);
  if (facts.isExport) await noteMissing(run, file, { found, albums: holders, facts });
  if (found.isTrashed) {
    run.count({ skipped: video ? 2 : 1 });
    return [];
  }
  const items = await takeIn(run, version, found);
  for (const item of items) {
    if (item?.isShown) albums.add(holders, item.id);
  }
  return items;
}

const NO_FACTS: Facts = { basis: 'none' };

/** Returns the facts of an item: of a live photo those of the still, else those of the video. */
async function findFacts({ file, video }: Version, { facts, pairs }: FolderState): Promise<Facts> {
  const own = (await facts.findOwn(file.name)) ?? (video && (await facts.findOwn(video.name)));
  if (own) return own;
  // Other videos are no halves of live photos; their names say enough.
  const still = canBeLiveVideo(file.name) ? (pairs.namesakes.get(file)?.name ?? null) : undefined;
  return (await facts.find(file.name, still)) ?? NO_FACTS;
}

type Known = {
  readonly found: Facts;
  readonly albums: readonly ImportedAlbum[];
  readonly facts: FolderFacts;
};

/** Lists the people of an export whose names are not taken, each once. */
function notePeople(run: ImportRun, { people = [] }: Facts): void {
  if (run.tagsPeople) return;
  for (const path of people) {
    if (!run.leftPeople.has(path)) run.note({ path, reasons: ['person_left'] });
    run.leftPeople.add(path);
  }
}

/** Lists a file by name about which the export does not say all. */
async function noteMissing(run: ImportRun, file: MediaFile, { found, albums, facts }: Known) {
  const isHidden = found.isTrashed || isLocked(found);
  const reasons: NoteReason[] = [];
  if (found.basis) reasons.push(found.basis === 'photo' ? 'facts_of_photo' : 'facts_missing');
  if (found.basis === 'folder') reasons.push(found.isTrashed ? 'in_trash' : 'locked');
  if (facts.isUntitledAlbum && albums.length === 0 && !isHidden) reasons.push('album_missing');
  if (found.isOdd && !found.basis) reasons.push('value_odd');
  const isKnown = !found.basis && (found.isTrashed || found.takenAt);
  if (isKnown && reasons.length === 0) return;
  // A file that cannot be read now is refused when it is taken in.
  const source = await run.findDateSource(file, found).catch(() => undefined);
  const dateSource = source && toNotedSource(source, found);
  if (dateSource === 'name' || dateSource === 'modified') reasons.push('date_missing');
  if (reasons.length > 0) run.note({ path: file.path, reasons, ...(dateSource && { dateSource }) });
}
