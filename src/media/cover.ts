import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { isPermanent, MediaError } from './errors.ts';
import { renderImage } from './images.ts';
import { FFMPEG, type MediaProbe, SAFE_INPUT } from './probe.ts';
import type { ImageOutputs, RenderedImage } from './sizes.ts';
import { runTool } from './tool-process.ts';

const LIMITS = {
  timeoutMs: 60_000,
  cpuSeconds: 60,
  memoryBytes: 2 * 1024 ** 3,
  dataBytes: 512 * 1024 ** 2,
  nice: 10,
};

export type CoverOptions = {
  readonly probe: MediaProbe;
  readonly tempDir: string;
  readonly outputs?: ImageOutputs | undefined;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Renders the cover picture that a sound file embeds. Returns undefined where there is none, or one
 * that cannot be decoded. Throws MediaError for faults of the machine.
 */
export async function renderCover(
  path: string,
  { probe: { cover }, tempDir, outputs, signal }: CoverOptions,
): Promise<RenderedImage | undefined> {
  if (cover === undefined) return undefined;
  const target = join(tempDir, `cover-${randomUUID()}`);
  const input = [...FFMPEG, ...SAFE_INPUT, '-i', `file:${path}`, '-map', `0:${cover}`];
  // The bytes as they are embedded: pictures are decoded by the children for pictures.
  const output = ['-c', 'copy', '-frames:v', '1', '-f', 'data', `file:${target}`];
  try {
    await runTool([...input, ...output], { ...LIMITS, output: target, signal });
    if (!(await Bun.file(target).exists())) return undefined;
    return await renderImage(target, { fileName: 'cover', tempDir, outputs, signal });
  } catch (error) {
    if (error instanceof MediaError && isPermanent(error)) return undefined;
    throw error;
  } finally {
    await rm(target, { force: true });
  }
}
