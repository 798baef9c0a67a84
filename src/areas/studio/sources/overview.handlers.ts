import type { JobCtx, JobHandler } from '../../../jobs/define.ts';
import { isVerdict } from '../../../jobs/machine-faults.ts';
import { probe } from '../../../media/probe.ts';
import { findOriginal } from '../../assets/index.ts';
import { getStripPath, type Overview, readOverview, writeOverview } from './files.ts';
import type { makeOverview } from './jobs.ts';
import { writeStrip } from './strip.ts';
import { measurePeaks } from './waveform.ts';

export const handleMakeOverview: JobHandler<typeof makeOverview> = async (ctx, { sha256 }) => {
  const { paths, signal } = ctx;
  await using original = await findOriginal(ctx, sha256);
  if (!original || (await readOverview(paths, sha256))) return;
  const orNull = createOrNull(ctx, original.path);
  const media = await orNull(probe(original.path, { signal }));
  const { video, audio, durationMs = 0 } = media ?? {};
  const file = { path: original.path, durationMs, signal };
  const overview: Overview = {
    strip: video
      ? await orNull(writeStrip({ ...file, video, output: getStripPath(paths, sha256) }))
      : null,
    waveform: audio ? await orNull(measurePeaks({ ...file, audio })) : null,
  };
  await writeOverview(paths, sha256, overview);
};

/** Returns a function that returns null for what another attempt would not read either. */
const createOrNull =
  (ctx: JobCtx, path: string) =>
  async <T>(work: Promise<T>): Promise<T | null> => {
    try {
      return await work;
    } catch (error) {
      if (await isVerdict(ctx, error, path)) return null;
      throw error;
    }
  };
