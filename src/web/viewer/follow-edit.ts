import { invalidate, queryClient } from '../query-client.ts';
import { keys, PHOTOS } from '../query-keys.ts';
import type { Asset } from '../types.ts';
import { assetQuery } from './queries.ts';

const POLLING_MS = 300;
/** A picture that looks the same mirrored is not seen to change. */
const PATIENCE_MS = 6000;

/** Waits until the server has made another picture of a photo, or for `PATIENCE_MS`. */
export async function followEdit(id: string, before: Asset | undefined): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  const fetchAgain = () => queryClient.fetchQuery({ ...assetQuery(id), staleTime: 0 });
  let now = await fetchAgain();
  while (now.thumbhash === before?.thumbhash && performance.now() < end) {
    await new Promise((done) => setTimeout(done, POLLING_MS));
    now = await fetchAgain();
  }
  await invalidate([...PHOTOS, keys.assets, keys.stacks]);
}
