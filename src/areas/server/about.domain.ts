import sharp from '../../../node_modules/sharp/package.json' with { type: 'json' };
import type { Ctx } from '../../core/context.ts';
import { VERSION } from '../../core/version.ts';
import { getExifToolCommand } from '../../media/exiftool-program.ts';
import { readToolVersion } from '../../media/tool-version.ts';
import { IMMICH_VERSION_TEXT } from '../../core/immich-version.ts';
import type { ServerAbout } from './schemas.ts';
import { readDatabaseVersion } from './store.ts';

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
