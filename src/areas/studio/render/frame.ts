import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { UserSession } from '../../../access/session.ts';
import { type Rational, ZERO } from '../../../core/rational.ts';
import type { StudioDocument, StudioRenderRow } from '../../../db/tables/studio.ts';
import { broken } from '../../../media/errors.ts';
import type { SeekAim } from '../../../media/frame-times.ts';
import { FFMPEG } from '../../../media/probe.ts';
import type { Size } from '../../../media/sizes.ts';
import { getLastLine, runTool } from '../../../media/tool-process.ts';
import { arrangeLayers, BLACK, buildGraph, STILL } from './graph.ts';
import { getSource, prepareLayer } from './layer-inputs.ts';
import { findLayers } from './layers.ts';
import { requireSources } from './sources.ts';
import { drawTitles } from './texts.ts';

/** Raised when a frame comes out differently: then none of before is shown. */
export const RENDERER_VERSION = 5;

const MIB = 1024 ** 2;
const LIMITS = {
  /** Somebody waits for it. */
  nice: 5,
  timeoutMs: 60_000,
  cpuSeconds: 60,
  memoryBytes: 6144 * MIB,
  dataBytes: 1200 * MIB,
};

type Quality = StudioRenderRow['quality'];

const QUALITY: Readonly<
  Record<Quality, { readonly most: number; readonly name: string; readonly coding: string }>
> = {
  draft: { most: 640, name: 'frame.jpg', coding: '-pix_fmt yuvj420p -c:v mjpeg -q:v 5' },
  standard: { most: 960, name: 'frame.jpg', coding: '-pix_fmt yuvj420p -c:v mjpeg -q:v 3' },
  full: { most: 3840, name: 'frame.png', coding: '-pix_fmt rgb24 -c:v png -compression_level 2' },
};

export const getFrameName = (quality: Quality): string => QUALITY[quality].name;

/** Returns the size of a frame: the canvas as it fits into the viewport, never enlarged. */
export function fitFrame(canvas: Size, viewport: Size, quality: Quality): Size {
  const { most } = QUALITY[quality];
  const width = Math.min(viewport.width, most, canvas.width);
  const height = Math.min(viewport.height, most, canvas.height);
  const factor = Math.min(width / canvas.width, height / canvas.height);
  return {
    width: Math.max(2, Math.round(canvas.width * factor)),
    height: Math.max(2, Math.round(canvas.height * factor)),
  };
}

export type FrameOrder = {
  readonly document: StudioDocument;
  readonly time: Rational;
  readonly quality: Quality;
  readonly viewport: Size;
  /** By whose rights items are read. */
  readonly session: UserSession;
  /** The folder of this frame only. */
  readonly folder: string;
  readonly signal: AbortSignal;
};

type FrameDeps = Parameters<typeof requireSources>[0];

/** Renders the frame of a film at a time into its folder. Throws MediaError, or SourceUnavailable. */
export async function renderFrame(deps: FrameDeps, order: FrameOrder): Promise<void> {
  await mkdir(order.folder, { recursive: true, mode: 0o700 });
  const part = getPartPath(order);
  // An attempt that was ended may have left it.
  await rm(part, { force: true });
  await tryUntilComplete(deps, order);
  await rename(part, join(order.folder, getFrameName(order.quality)));
}

const getPartPath = ({ folder, quality }: FrameOrder): string =>
  join(folder, `part-${getFrameName(quality)}`);

/** A seek may end behind the frame: then decoding begins earlier. */
const AIMS: readonly SeekAim[] = ['frame', 'key', 'start'];

async function tryUntilComplete(deps: FrameDeps, order: FrameOrder): Promise<void> {
  for (const aim of AIMS) if (await tryRender(deps, order, aim)) return;
  throw broken('A video has no picture at this time');
}

/** Returns whether every layer had a picture. */
async function tryRender(deps: FrameDeps, order: FrameOrder, aim: SeekAim): Promise<boolean> {
  const { document, time, quality, viewport, session, folder, signal } = order;
  const { clips, titles } = findLayers(document, time);
  const ids = [...new Set(clips.map(({ clip }) => clip.assetId))];
  const sources = await requireSources(deps, session, ids);
  const prepared = await Promise.all(
    clips.map((active) =>
      prepareLayer(active, getSource(sources, active.clip.assetId), { ...deps, aim, signal }),
    ),
  );
  const { background = BLACK } = document;
  const canvas = { ...fitFrame(document, viewport, quality), ...STILL, background };
  const layers = arrangeLayers(prepared, canvas);
  const texts = await drawTitles(titles, { folder, height: canvas.height, step: ZERO, signal });
  const { graph, witnesses } = buildGraph(canvas, layers, texts, { isWitnessed: true });
  const part = getPartPath(order);
  const command = [
    ...FFMPEG,
    '-copyts',
    ...layers.flatMap(({ input }) => input),
    '-filter_complex',
    graph,
    '-map',
    '[frame]',
    '-frames:v',
    '1',
    ...QUALITY[quality].coding.split(' '),
    '-map_metadata',
    '-1',
    '-f',
    'image2',
    '-update',
    '1',
    `file:${part}`,
    ...witnesses.flatMap((name) => ['-map', name]),
    ...(witnesses.length > 0 ? ['-frames:v', '1', '-f', 'framecrc', 'pipe:1'] : []),
  ];
  const { code, stdout, stderr } = await runTool(command, {
    ...LIMITS,
    cwd: folder,
    files: { read: [folder, ...layers.map((layer) => layer.path)], write: [folder] },
    output: join(folder, 'any'),
    signal,
  });
  if (code !== 0) throw broken(`ffmpeg: ${getLastLine(stderr) || `exit ${code}`}`);
  if (witnesses.length === 0) return existsSync(part);
  const seen = new Set([...stdout.matchAll(/^(\d+),/gm)].map(([, stream]) => stream));
  return seen.size === witnesses.length;
}
