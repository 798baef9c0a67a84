import { handleIndexText } from '../../src/areas/search/match/text-index.handlers.ts';
import type { TestDatabase } from './harness.ts';
import { jobCtx } from './processing.ts';

/** Indexes the texts of all assets that wait for it, as the queue does. */
export async function indexTexts(database: TestDatabase): Promise<void> {
  for (;;) {
    const effect = await handleIndexText(jobCtx(database), {});
    if (!effect) return;
    await database.db.transaction(async (tx) => void (await effect(tx)));
  }
}
