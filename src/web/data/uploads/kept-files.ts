import { KEPT_UPLOADS } from '../../base/service-worker-names.ts';

// Files of the queue that the browser keeps until the server has them: then they are sent when the page is closed, too,
// by the service worker, or by the page that is opened next. The page and the worker share this module.

/** A file that is kept, as the address of its bytes in the cache tells it. */
export type KeptFile = {
  /** The account that chose it. Nobody else may send it, or learn of it. */
  readonly userId: string;
  /** The queue of a tab, whose lock its sender holds. */
  readonly queue: string;
  /** The item of the queue; a live photo has two parts. */
  readonly item: string;
  readonly part: number;
  readonly name: string;
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly lastModified: number;
  readonly mediaType: string;
  /** The folder within what was dropped or chosen. */
  readonly folder: string;
  readonly album: { readonly id: string; readonly albumName: string } | undefined;
};

/** An upload that the worker has begun on the server. */
export type BegunUpload = { readonly id: string; readonly sha256: string };
/** An answer that is final. The page makes a sentence of it, in its language. */
export type Refusal = { readonly status: number; readonly text: string };

export type KeptState = {
  readonly begun?: BegunUpload;
  readonly refusal?: Refusal;
  /** SHA-256 as base64 of a file that has arrived. Its bytes are deleted. */
  readonly arrived?: string;
};

/** The server takes no files of this kind. */
export const UNSUPPORTED_STATUS = 415;

const ROOT = '/kept-uploads';
const STATE = '/state';

/** Only the holder of this lock sends the files of a queue: its tab while that is open, or the worker. */
export const toQueueLock = (queue: string): string => `safelight.kept ${queue}`;

const toPath = ({ userId, queue, item, part }: KeptFile): string =>
  `${ROOT}/${userId}/${queue}/${item}/${part}`;
const toStatePath = (file: KeptFile): string => toPath(file) + STATE;
const toPausePath = (userId: string, queue: string): string => `${ROOT}/${userId}/${queue}/paused`;

/** The address of the bytes: it tells all about them, so that a list reads no entry. */
export const toKeptUrl = (file: KeptFile): string =>
  `${toPath(file)}?${new URLSearchParams({ file: JSON.stringify(file) })}`;

/** Undefined: the address is that of a state. */
export function parseKeptUrl(url: string): KeptFile | undefined {
  const text = new URL(url, 'http://localhost').searchParams.get('file');
  return text === null ? undefined : (JSON.parse(text) as KeptFile);
}

/** Rejects where there is no room. */
export async function keepFile(kept: KeptFile, file: Blob): Promise<void> {
  const cache = await caches.open(KEPT_UPLOADS);
  await cache.put(toKeptUrl(kept), new Response(file));
}

/** Returns the files of all accounts, without those that have arrived. */
export async function listKeptFiles(): Promise<KeptFile[]> {
  return (await listUrls()).flatMap((url) => parseKeptUrl(url) ?? []);
}

async function listUrls(): Promise<string[]> {
  if (!(await caches.has(KEPT_UPLOADS))) return [];
  const cache = await caches.open(KEPT_UPLOADS);
  return (await cache.keys()).map(({ url }) => url);
}

/** Undefined: it has been deleted meanwhile. */
export async function readKeptFile(kept: KeptFile): Promise<File | undefined> {
  const blob = await (await match(toKeptUrl(kept)))?.blob();
  const { name, lastModified, mediaType: type } = kept;
  return blob && new File([blob], name, { lastModified, type });
}

export async function readState(kept: KeptFile): Promise<KeptState> {
  return readJson(await match(toStatePath(kept)));
}

const match = async (path: string): Promise<Response | undefined> =>
  (await caches.has(KEPT_UPLOADS)) ? (await caches.open(KEPT_UPLOADS)).match(path) : undefined;

const readJson = async (response: Response | undefined): Promise<KeptState> =>
  ((await response?.json()) ?? {}) as KeptState;

/** Does nothing where the file was deleted meanwhile, as by a logout. */
export async function writeState(kept: KeptFile, state: KeptState): Promise<void> {
  if (!(await match(toKeptUrl(kept)))) return;
  const cache = await caches.open(KEPT_UPLOADS);
  await cache.put(toStatePath(kept), Response.json(state));
}

/** Replaces a file that has arrived by a note, for the page that is opened next. */
export async function noteArrival(kept: KeptFile, sha256: string): Promise<void> {
  await writeState(kept, { arrived: sha256 });
  await (await caches.open(KEPT_UPLOADS)).delete(toKeptUrl(kept));
}

/** Returns the SHA-256 of files that the worker has sent, and deletes the notes. */
export async function takeArrivals(userId: string): Promise<string[]> {
  const urls = await listUrls();
  const files = new Set(urls.filter(parseKeptUrl).map((url) => new URL(url).pathname + STATE));
  const arrived: string[] = [];
  for (const path of urls.map((url) => new URL(url).pathname)) {
    const isNote = path.startsWith(`${ROOT}/${userId}/`) && path.endsWith(STATE);
    if (!isNote || files.has(path)) continue;
    const { arrived: sha256 } = await readJson(await match(path));
    if (sha256) arrived.push(sha256);
    await (await caches.open(KEPT_UPLOADS)).delete(path);
  }
  return arrived;
}

export async function deleteKeptFile(kept: KeptFile): Promise<void> {
  const cache = await caches.open(KEPT_UPLOADS);
  await Promise.all([cache.delete(toKeptUrl(kept)), cache.delete(toStatePath(kept))]);
}

/** Deletes all that other accounts have left in this browser. */
export async function deleteKeptFilesOfOthers(userId: string): Promise<void> {
  for (const url of await listUrls()) {
    if (new URL(url).pathname.startsWith(`${ROOT}/${userId}/`)) continue;
    await (await caches.open(KEPT_UPLOADS)).delete(url);
  }
}

/** A queue that a person has paused is not sent by the worker. */
export async function setPaused(userId: string, queue: string, isPaused: boolean): Promise<void> {
  const cache = await caches.open(KEPT_UPLOADS);
  const path = toPausePath(userId, queue);
  await (isPaused ? cache.put(path, new Response()) : cache.delete(path));
}

export const isPausedQueue = async (userId: string, queue: string): Promise<boolean> =>
  (await match(toPausePath(userId, queue))) !== undefined;
