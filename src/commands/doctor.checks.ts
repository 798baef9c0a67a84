import { accessSync, constants, existsSync, readFileSync, statfsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { migrations } from '../../migrations/index.ts';
import { chooseAccount, getUserName } from '../core/account.ts';
import { enterDataFolder } from '../core/data-folder.ts';
import { explainDiskError } from '../core/disk-errors.ts';
import { getFirst, requireValue } from '../core/required.ts';
import { getExifToolCommand } from '../media/exiftool-program.ts';
import { readToolVersion } from '../media/tool-version.ts';
import { probeConfinement } from '../core/launch.ts';
import { dataPaths } from '../core/paths.ts';
import { getUid } from '../core/process-user.ts';
import type { Settings } from '../core/settings.ts';
import { VERSION } from '../core/version.ts';
import { connect } from '../db/address.ts';
import { findBinaries, findUpgrade } from '../db/cluster/binaries.ts';
import { getCapabilities } from '../inference/capabilities.ts';
import { openInference } from '../inference/client.ts';
import { findUnknownMigration, isDevelopmentMigration } from '../db/migrate.ts';
import { checkServer, joinDatabase, schemaVersion } from '../db/server.ts';
import { findFont } from '../media/fonts.ts';
import { describeState, isWell, readServerState } from '../maintenance/server-state.ts';
import { isMediaHostReachable } from '../media/host/client.ts';
import { findBackupStore, findObjectStore } from '../storage/objects.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import { findFolderFault, hasFolders } from '../storage/disks.ts';
import { MARKER } from '../storage/stored-file.ts';
import { createQuietLog } from './command.ts';

/** `missing` is required, or has to be mended; `absent` is not: the server runs without it, with less. */
export type State = 'ok' | 'absent' | 'missing';
export type Result = {
  readonly name: string;
  readonly state: State;
  readonly detail: string;
  /** Advice, often the command that installs it. */
  readonly remedy?: string;
};

const GIB = 1024 ** 3;
const MIN_FREE_BYTES = 2 * GIB;

type Tool = {
  readonly name: string;
  readonly use: string;
  readonly package: string;
  /** The option that prints its version; undefined: it has none. */
  readonly ask?: string;
  /** Replaces the name, for what this program brings along. */
  readonly command?: () => readonly string[];
};

const TOOLS: readonly Tool[] = [
  { name: 'ffmpeg', use: 'videos', package: 'ffmpeg', ask: '-version' },
  { name: 'ffprobe', use: 'videos', package: 'ffmpeg', ask: '-version' },
  {
    name: 'exiftool',
    use: 'dates, places, cameras',
    package: 'perl',
    ask: '-ver',
    command: getExifToolCommand,
  },
  { name: 'heif-convert', use: 'HEIC photos', package: 'libheif-examples' },
  { name: 'convert', use: 'BMP, TGA, JPEG 2000, rare TIFF', package: 'imagemagick' },
  { name: 'dcraw_emu', use: 'RAW photos', package: 'libraw-bin' },
  { name: 'jxlinfo', use: 'animated JPEG XL', package: 'libjxl-tools' },
  { name: 'brotli', use: 'dates, places, cameras of JPEG XL', package: 'brotli', ask: '--version' },
];

export const describeCheck = ({ name, state, detail, remedy }: Result): string =>
  `${state.padEnd(8)} ${name.padEnd(14)} ${detail}${remedy ? `: ${remedy}` : ''}`;

export async function runChecks(settings: Settings): Promise<Result[]> {
  const user = checkUser(settings);
  const tools = await Promise.all(TOOLS.map(checkTool));
  return [
    { name: 'safelight', state: 'ok', detail: VERSION },
    checkProcessor(),
    ...tools,
    checkPerlModules(),
    user,
    checkConfinement(),
    ...(await checkMediaHost(settings)),
    checkData(settings),
    ...(await checkFolders(settings)),
    checkServerState(settings),
    ...(await checkStore('object store', findObjectStore(settings))),
    ...(await checkStore('backup store', findBackupStore(settings))),
    checkModels(settings),
    await checkFonts(),
    await checkDatabase(settings),
    await checkInference(settings),
  ];
}

async function checkTool({ name, use, package: source, ask, command }: Tool): Promise<Result> {
  const words = command?.() ?? [name];
  const path = Bun.which(getFirst(words));
  if (!path) {
    return {
      name,
      state: 'missing',
      detail: `needed for ${use}`,
      remedy: `apt-get install ${source}`,
    };
  }
  if (!ask) return { name, state: 'ok', detail: path };
  const version = (await readToolVersion([...words, ask])) ?? 'version unknown';
  return { name, state: 'ok', detail: `${command ? words.at(-1) : path}, ${version}` };
}

/** Checks the one optional module of ExifTool that matters: the others are included, or are for formats that are not supported. */
function checkPerlModules(): Result {
  const name = 'Compress::Zlib';
  const isThere = Bun.which('perl') && Bun.spawnSync(['perl', `-M${name}`, '-e', '1']).success;
  if (isThere) return { name, state: 'ok', detail: 'for packed texts of PNG and HEIF' };
  const detail = 'packed texts of PNG and HEIF are not read';
  return { name, state: 'absent', detail, remedy: 'apt-get install perl' };
}

/** Checks as which user we run. It must come first, since it changes the user. */
function checkUser(settings: Settings): Result {
  const name = 'user';
  try {
    if (!existsSync(settings.dataDir)) {
      const account = chooseAccount(settings.dataDir, dataPaths(settings.dataDir).postgres);
      return describeUser(account?.uid ?? getUid());
    }
    const staysRoot = enterDataFolder(settings);
    if (staysRoot === undefined) return describeUser(getUid());
    const remedy = 'a data folder of its own, in a place where that user can go';
    return { name, state: 'absent', detail: staysRoot, remedy };
  } catch (error) {
    const detail = explainDiskError(error) ?? (error as Error).message;
    return { name, state: 'missing', detail };
  }
}

function describeUser(uid: number): Result {
  const result = { name: 'user', state: 'ok', detail: getUserName(uid) } as const;
  if (result.detail !== 'postgres') return result;
  const detail = 'postgres, as other databases of this machine may';
  return { ...result, detail, remedy: 'useradd --system safelight' };
}

/** Checks the confinement of children that a hostile file or packet may have taken over. */
function checkConfinement(): Result {
  const name = 'confinement';
  const { seccomp, landlock } = probeConfinement();
  const detail =
    (seccomp
      ? 'decoders reach no network, preview streams UDP only'
      : 'decoders and preview streams reach the network (no seccomp)') +
    (landlock > 0
      ? `, both only their own files (Landlock ${landlock})`
      : ', both every file that the server may read (no Landlock)');
  if (seccomp && landlock > 0) return { name, state: 'ok', detail };
  const remedy = 'a kernel, or rules of the container, with seccomp and Landlock (Linux 5.13)';
  return { name, state: 'absent', detail, remedy };
}

async function checkMediaHost({ mediaSocket }: Settings): Promise<Result[]> {
  if (mediaSocket === undefined) return [];
  const name = 'media host';
  if (await isMediaHostReachable(mediaSocket)) return [{ name, state: 'ok', detail: mediaSocket }];
  const detail = `no answer at ${mediaSocket}: photos and videos wait`;
  return [{ name, state: 'missing', detail, remedy: 'systemctl restart safelight-media' }];
}

/** Older processors end the program with an illegal instruction rather than with a text. */
function checkProcessor(): Result {
  const name = 'processor';
  if (process.arch !== 'x64') return { name, state: 'ok', detail: process.arch };
  const hasSse42 = /\bsse4_2\b/.test(readFileSync('/proc/cpuinfo', 'utf8'));
  const detail = hasSse42 ? 'x64 with SSE4.2' : 'x64 without SSE4.2, which is needed';
  return { name, state: hasSse42 ? 'ok' : 'missing', detail };
}

/** The folder, or the one in which it would be made. */
function checkData(settings: Settings): Result {
  const name = 'data folder';
  const folder = resolve(settings.dataDir);
  let at = folder;
  while (!existsSync(at)) at = dirname(at);
  try {
    accessSync(at, constants.W_OK | constants.X_OK);
  } catch {
    const remedy = 'give its owner the right to write, or choose another with --data';
    return { name, state: 'missing', detail: `${at} is not writable`, remedy };
  }
  const { bavail, bsize } = statfsSync(at);
  const free = bavail * bsize;
  const detail = `${folder}${at === folder ? '' : ' (to be made)'}, ${(free / GIB).toFixed(1)} GiB free`;
  return free < MIN_FREE_BYTES
    ? { name, state: 'missing', detail, remedy: `at least ${MIN_FREE_BYTES / GIB} GiB are needed` }
    : { name, state: 'ok', detail };
}

/** Tries what uploads and jobs need of the folders of a library. */
async function checkFolders({ dataDir }: Settings): Promise<Result[]> {
  const name = 'folders';
  const paths = dataPaths(resolve(dataDir));
  if (!hasFolders(paths)) return [];
  const detail = await findFolderFault(paths);
  if (detail === undefined) return [{ name, state: 'ok', detail: 'they take files' }];
  return [{ name, state: 'missing', detail, remedy: 'uploads fail until this is mended' }];
}

/** Checks the server that works on the folder, if one does. */
function checkServerState({ dataDir }: Settings): Result {
  const state = readServerState(dataPaths(resolve(dataDir)));
  const result = { name: 'server', detail: describeState(state) };
  return isWell(state)
    ? { ...result, state: 'ok' }
    : { ...result, state: 'missing', remedy: "'safelight status' and the log say more" };
}

async function checkStore(name: string, store: ObjectStore | undefined): Promise<Result[]> {
  if (!store) return [];
  try {
    const mark = await store.findText(MARKER);
    const detail = `${store.url}, ${mark === undefined ? 'without a library' : 'with a library'}`;
    return [{ name, state: 'ok', detail }];
  } catch (error) {
    const { cause, message } = error as Error;
    const detail = [message, ...listMessages(cause)].join(': ');
    return [
      { name, state: 'missing', detail, remedy: 'check its URL, its key pair, and the network' },
    ];
  }
}

const listMessages = (error: unknown): string[] =>
  error instanceof Error ? [error.message, ...listMessages(error.cause)] : [];

function checkModels(settings: Settings): Result {
  const name = 'models';
  const found = Object.entries(getCapabilities(settings));
  return found.length > 0
    ? {
        name,
        state: 'ok',
        detail: found.map(([task, { modelId }]) => `${task}: ${modelId}`).join(', '),
      }
    : {
        name,
        state: 'absent',
        detail: 'none: nothing is recognised in photos',
        remedy: 'safelight models pull',
      };
}

/** Checks which titles films of memories can have; those that no font has are left out. */
async function checkFonts(): Promise<Result> {
  const name = 'fonts';
  if (!Bun.which('fc-list')) {
    const detail = 'films have titles in Latin, Greek and Cyrillic letters only';
    return { name, state: 'absent', detail, remedy: 'apt-get install fontconfig' };
  }
  const samples = { Latin: 'A', Chinese: '漢', Japanese: 'あ', Korean: '한' };
  const found = await Promise.all(
    Object.entries(samples).map(async ([script, text]) => ({ script, font: await findFont(text) })),
  );
  const absent = found.filter(({ font }) => !font).map(({ script }) => script);
  if (absent.length === 0) return { name, state: 'ok', detail: 'for titles of films' };
  const detail = `films have no titles in ${absent.join(', ')}`;
  const remedy = `apt-get install ${absent.includes('Latin') ? 'fonts-dejavu-core ' : ''}fonts-noto-cjk`;
  return { name, state: 'absent', detail, remedy };
}

/** By a child process, as the server does it: a driver may take it down. */
async function checkInference(settings: Settings): Promise<Result> {
  const name = 'inference';
  const inference = openInference({ settings, log: createQuietLog(settings) });
  try {
    const { used, tried } = await inference.probe();
    const others = tried.filter(({ error }) => error !== undefined);
    const why = others.map((provider) => `; not ${provider.name}: ${provider.error}`);
    return { name, state: 'ok', detail: `on ${used}${why.join('')}` };
  } catch (error) {
    return { name, state: 'absent', detail: (error as Error).message };
  } finally {
    await inference.close();
  }
}

const UPGRADE = "'safelight maintenance upgrade-postgres' moves the database to it";

async function checkDatabase(settings: Settings): Promise<Result> {
  const name = 'database';
  const { postgres } = dataPaths(settings.dataDir);
  try {
    if (!settings.databaseUrl && !existsSync(postgres)) {
      const { major } = findBinaries(postgres);
      return { name, state: 'ok', detail: `PostgreSQL ${major}, to be made at the first start` };
    }
    const server = await joinDatabase(settings, createQuietLog(settings));
    try {
      const { version } = await checkServer(server.url);
      const newer = settings.databaseUrl ? undefined : findUpgrade(postgres);
      return {
        name,
        state: 'ok',
        detail: `PostgreSQL ${version}, ${await describeSchema(server.url)}`,
        ...(newer && { remedy: `PostgreSQL ${newer.to} is installed: ${UPGRADE}` }),
      };
    } finally {
      await server.stop();
    }
  } catch (error) {
    return { name, state: 'missing', detail: (error as Error).message };
  }
}

async function describeSchema(url: string): Promise<string> {
  const sql = connect(url, { max: 1, onnotice: () => {} });
  try {
    const [found, known] = [
      await schemaVersion(sql),
      requireValue(migrations.at(-1), 'migration').name,
    ];
    if (found === known) return `schema ${found}`;
    if (found === undefined) return 'no schema yet';
    const unknown = await findUnknownMigration(sql);
    if (unknown && isDevelopmentMigration(unknown)) {
      return 'schema of a development version before the first release, which cannot be updated';
    }
    return found > known
      ? `schema ${found}, newer than this program (${known})`
      : `schema ${found}, to be brought to ${known} at the next start`;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
