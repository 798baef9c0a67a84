import { fetchAsset } from '../timeline/asset-actions.ts';
import { refreshTimelines } from '../timeline/timeline-data.ts';
import type { Asset } from '../types.ts';

const ASK_MS = 300;
/** A picture that looks the same mirrored is not seen to change. */
const PATIENCE_MS = 6000;

/** Waits for another picture that the server makes; the asset with it, as far as it came. */
export async function followEdit(
  id: string,
  before: Asset | undefined,
): Promise<Asset | undefined> {
  const end = performance.now() + PATIENCE_MS;
  let now = await fetchAsset(id);
  while (now.thumbhash === before?.thumbhash && performance.now() < end) {
    await new Promise((done) => setTimeout(done, ASK_MS));
    now = await fetchAsset(id);
  }
  await refreshTimelines();
  return now;
}
