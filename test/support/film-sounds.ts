import { join } from 'node:path';
import type { UserSession } from '../../src/access/session.ts';
import type { Rational } from '../../src/core/rational.ts';
import { listAssetIds } from '../../src/areas/studio/projects/document.ts';
import { requireSources } from '../../src/areas/studio/render/sources.ts';
import { openMix } from '../../src/areas/studio/sound/parts.ts';
import type { StudioDocument, StudioSound } from '../../src/db/tables/studio.ts';
import { makeClip } from '../fixtures/clips.ts';
import { addFile } from './processing.ts';
import type { Studio } from './studio.ts';

/** The part of each second, from its middle on. */
const BEEP_SECONDS = 0.2;

/** Adds a video that beeps. */
export async function addBeeps(
  { database, folder }: Pick<Studio, 'database' | 'folder'>,
  ownerId: string,
  { seconds, rate = 48_000 }: { readonly seconds: number; readonly rate?: number },
): Promise<string> {
  const path = join(folder, `beeps-${seconds}-${rate}.mp4`);
  const wave = `0.4*sin(2*PI*440*t)*between(mod(t,1),0.5,${0.5 + BEEP_SECONDS})`;
  makeClip(path, [
    ...`-f lavfi -i color=black:s=64x64:r=10:d=${seconds} -f lavfi -i`.split(' '),
    `aevalsrc='${wave}':d=${seconds}:s=${rate}`,
    ...'-c:v libx264 -preset ultrafast -g 20 -pix_fmt yuv420p -c:a aac -b:a 128k'.split(' '),
  ]);
  return addFile(database, path, { ownerId });
}

type Sounding = Pick<StudioDocument, 'music' | 'titles'> & {
  readonly clips: readonly StudioSound[];
  readonly sounds: readonly StudioSound[];
};

/** Opens the mix of a film from a time on. */
export async function openFilm(
  { database: { deps } }: Pick<Studio, 'database'>,
  session: UserSession,
  { clips, ...others }: Sounding,
  from: Rational,
) {
  const document: StudioDocument = {
    width: 64,
    height: 64,
    frameRate: { numerator: 10, denominator: 1 },
    clips: clips.map((clip, track) => ({ ...clip, track })),
    ...others,
  };
  const sources = await requireSources(deps, session, listAssetIds(document));
  const { signal } = new AbortController();
  const film = { document, sources, studio: deps.paths.studio };
  const onDamaged = (assetId: string, reason: string) => {
    throw new Error(`${assetId}: ${reason}`);
  };
  return openMix({ film, signal, nice: 0, timeoutMs: 600_000, onDamaged }, from);
}

/** Returns all samples of a mix. */
export async function readAll(windows: AsyncGenerator<Int16Array>): Promise<Int16Array> {
  const parts: Int16Array[] = [];
  for await (const part of windows) parts.push(part);
  const all = new Int16Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
