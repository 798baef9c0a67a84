import type { App } from '../../src/app.ts';
import { call, type TestUser } from './harness.ts';

/** Returns the ids that the timeline shows, sorted. */
export async function listTimeline(
  app: App,
  as: TestUser,
  query = 'visibility=timeline',
): Promise<string[]> {
  const { body: buckets } = await call(app, `GET /timeline/buckets?withStacked=true&${query}`, {
    as,
  });
  const ids: string[] = [];
  for (const { timeBucket } of buckets) {
    const path = `GET /timeline/bucket?withStacked=true&${query}&timeBucket=${timeBucket}` as const;
    ids.push(...(await call(app, path, { as })).body.id);
  }
  return ids.sort();
}
