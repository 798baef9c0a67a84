import { getCapabilities } from '../../inference/index.ts';
import type { JobHandler } from '../../jobs/define.ts';
import { enqueueMany } from '../../jobs/queue.ts';
import {
  describeFrames,
  pickFrames,
  transcribeVideo,
  type watchVideos,
} from '../enrichment-queue/index.ts';
import { listFrameModels, joinModels } from './frames/frame-models.ts';
import { findOutdatedVideos } from './store.ts';
import { findUntranscribed } from './transcript/transcript.store.ts';

/** Videos per run; queued ones are not queued twice. */
const PAGE = 1000;

export const handleWatchVideos: JobHandler<typeof watchVideos> = async ({ db, settings }) => {
  const left = await findOutdatedVideos(db, joinModels(listFrameModels(settings)), PAGE);
  const speech = getCapabilities(settings).speech?.modelId;
  const unheard = speech ? await findUntranscribed(db, speech, PAGE) : [];
  if (left.length + unheard.length === 0) return undefined;
  const of = (isPending: boolean) =>
    left.filter(({ status }) => (status === 'pending') === isPending);
  return async (tx) => {
    const payloads = (isPending: boolean) => of(isPending).map(({ assetId }) => ({ assetId }));
    await enqueueMany(tx, pickFrames, payloads(true));
    await enqueueMany(tx, describeFrames, payloads(false));
    await enqueueMany(
      tx,
      transcribeVideo,
      unheard.map((assetId) => ({ assetId })),
    );
  };
};
