import type { App } from '../../src/app.ts';
import { call, send, type TestDatabase, type TestUser } from '../support/harness.ts';
import {
  APP_TYPES,
  type Connection,
  type Copy,
  type Line,
  parseLines,
  syncOnce,
} from './client.ts';

export const connect = (app: App, session: Pick<TestUser, 'token'>): Connection => ({
  stream: (types) => send(app, 'POST /sync/stream', { session, body: { types } }),
  async ack(acks) {
    const { status, body } = await call(app, 'POST /sync/ack', { session, body: { acks } });
    if (status !== 204) throw new Error(`${status} ${JSON.stringify(body)}`);
  },
});

/**
 * Waits until all changes so far are below the watermark, which transactions of other databases in the
 * same cluster hold back too.
 */
export async function waitForWatermark({ sql }: Pick<TestDatabase, 'sql'>): Promise<void> {
  const [last] = await sql`select coalesce(max(xid), '0')::text as xid from change`;
  for (;;) {
    const [state] = await sql`
      select pg_snapshot_xmin(pg_current_snapshot()) > ${last!['xid']}::xid8 as is_over`;
    if (state!['is_over']) return;
    await Bun.sleep(5);
  }
}

/** Returns all lines of a stream without acknowledging any. */
export async function readLines(
  database: TestDatabase,
  app: App,
  session: TestUser,
  types: readonly string[] = APP_TYPES,
): Promise<Line[]> {
  await waitForWatermark(database);
  const response = await connect(app, session).stream(types);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return Array.fromAsync(parseLines(response.body!));
}

/** Returns the number of lines by type that one stream sends of people, faces and text. */
export async function syncCast(
  database: TestDatabase,
  app: App,
  session: TestUser,
  copy: Copy,
): Promise<Record<string, number>> {
  await waitForWatermark(database);
  const { counts } = await syncOnce(connect(app, session), copy);
  return Object.fromEntries(
    Object.entries(counts).filter(([type]) => /Person|Face|Ocr/.test(type)),
  );
}
