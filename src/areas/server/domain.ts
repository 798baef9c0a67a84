import type { Ctx, Deps } from '../../core/context.ts';
import { formatBytes } from '../../core/byte-format.ts';
import { IMMICH_VERSION_TEXT } from '../../core/immich-version.ts';
import { toJsonBytes } from '../../core/json-bytes.ts';
import { readOriginalsDisk } from '../../storage/index.ts';
import { shareReads } from '../../access/batch.ts';
import { getStylePath, toClientUrl } from '../map/index.ts';
import { findInstance } from '../system/index.ts';
import { readConfig } from '../system-config/index.ts';
import { hasAdmin } from '../users/index.ts';
import { FEATURE_SECTIONS, getLocalFeatures } from './config.ts';
import type {
  ServerConfig,
  ServerFeatures,
  ServerStats,
  ServerStorage,
  ServerAbout,
} from './schemas.ts';
import * as store from './store.ts';
import { readDatabaseVersion } from './store.ts';
import sharp from '../../../node_modules/sharp/package.json' with { type: 'json' };
import { VERSION } from '../../core/version.ts';
import { getExifToolCommand } from '../../media/exiftool-program.ts';
import { readToolVersion } from '../../media/tool-version.ts';

const toApkLink = (name: string): string =>
  `https://github.com/immich-app/immich/releases/download/v${IMMICH_VERSION_TEXT}/app-${name}release.apk`;
/** Where the phone app of that release can be got. */
export const APK_LINKS = {
  arm64v8a: toApkLink('arm64-v8a-'),
  armeabiv7a: toApkLink('armeabi-v7a-'),
  universal: toApkLink(''),
  x86_64: toApkLink('x86_64-'),
};

export async function listVersions({ db }: Deps) {
  const { id, createdAt } = await findInstance(db);
  return [{ id, version: IMMICH_VERSION_TEXT, createdAt: createdAt.toISOString() }];
}

export async function getServerConfig(
  { db, settings }: Deps,
  request: Request,
): Promise<ServerConfig> {
  const [instance, isInitialized, config] = await Promise.all([
    findInstance(db),
    hasAdmin(db),
    readConfig(db, 'machineLearning', 'oauth', 'server', 'trash', 'user'),
  ]);
  return {
    externalDomain: config.server.externalDomain,
    isInitialized,
    isOnboarded: instance.onboarded,
    loginPageMessage: config.server.loginPageMessage,
    maintenanceMode: false,
    mapDarkStyleUrl: toClientUrl(request, getStylePath('dark')),
    mapLightStyleUrl: toClientUrl(request, getStylePath('light')),
    minFaces: config.machineLearning.facialRecognition.minFaces,
    oauthAccountManagementUrl: config.oauth.accountManagementUrl,
    oauthButtonText: config.oauth.buttonText,
    publicUsers: config.server.publicUsers,
    trashDays: settings.trashDays ?? config.trash.days,
    userDeleteDelay: config.user.deleteDelay,
  };
}

/** Returns the features that clients may use; they hide those that are false. */
export const getFeatures = async ({ db, settings }: Deps): Promise<ServerFeatures> => {
  const config = await readConfig(db, ...FEATURE_SECTIONS, 'notifications');
  return { ...getLocalFeatures(settings, config), email: config.notifications.smtp.enabled };
};

/** Returns the space of the disk that holds the originals. */
export async function getStorage({ paths }: Pick<Ctx, 'paths'>): Promise<ServerStorage> {
  const { size, available, used } = await readOriginalsDisk(paths);
  return {
    diskSize: formatBytes(size),
    diskSizeRaw: size,
    diskUse: formatBytes(used),
    diskUseRaw: used,
    diskAvailable: formatBytes(available),
    diskAvailableRaw: available,
    diskUsagePercentage: size === 0 ? 0 : Math.round((used / size) * 10_000) / 100,
  };
}

/** Returns `ServerStats` as JSON. */
export const renderStatistics = shareReads(async (db) => {
  const usageByUser = await store.listUsageByUser(db);
  const sum = (of: 'photos' | 'videos' | 'usage' | 'usagePhotos' | 'usageVideos') =>
    usageByUser.reduce((total, user) => total + user[of], 0);
  return toJsonBytes({
    photos: sum('photos'),
    usage: sum('usage'),
    usageByUser,
    usagePhotos: sum('usagePhotos'),
    usageVideos: sum('usageVideos'),
    videos: sum('videos'),
  } satisfies ServerStats);
});

export async function getAbout({ db }: Pick<Ctx, 'db'>): Promise<ServerAbout> {
  tools ??= readToolVersions();
  return {
    version: `v${IMMICH_VERSION_TEXT}`,
    versionUrl: '',
    // Nothing is for sale: clients show no purchase dialog.
    licensed: true,
    build: `Safelight ${VERSION}`,
    repository: 'safelight',
    sourceRef: `v${VERSION}`,
    ...(typeof SOURCE_COMMIT === 'string' && { sourceCommit: SOURCE_COMMIT }),
    nodejs: process.version,
    // The package names the release that it brings along.
    libvips: sharp.config.libvips.replace(/^\D+/, ''),
    ...(await tools),
    postgres: await readDatabaseVersion(db),
  };
}

/** Commit that the program was built from, if all of it was committed (native/build.ts). */
declare const SOURCE_COMMIT: string | undefined;

type ToolVersions = Pick<ServerAbout, 'exiftool' | 'ffmpeg'>;

/** Asked once per process. */
let tools: Promise<ToolVersions> | undefined;

async function readToolVersions(): Promise<ToolVersions> {
  const [exiftool, ffmpeg] = await Promise.all([
    readToolVersion([...getExifToolCommand(), '-ver']),
    readToolVersion(['ffmpeg', '-version']),
  ]);
  return { ...(exiftool && { exiftool }), ...(ffmpeg && { ffmpeg }) };
}
