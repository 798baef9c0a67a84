import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from '../../src/app.ts';
import { FAULT_POINTS } from '../../src/core/fault-points.ts';
import { call, seed, send, testApp, type TestDatabase, testDatabase } from '../support/harness.ts';
import { addMemory } from '../support/memories.ts';
import { addFile } from '../support/processing.ts';
import { bundle } from './bundle.ts';

let database: TestDatabase;
let script: string;
let app: App;
beforeAll(async () => {
  script = await bundle(join(import.meta.dir, 'export-child.ts'));
  database = await testDatabase();
  app = testApp(database, { now: () => new Date() });
});
afterAll(() => database.close());

function startChild(fault = 'none'): Bun.Subprocess {
  const { databaseUrl, dataDir } = database.deps.settings;
  return Bun.spawn([process.execPath, script, databaseUrl!, dataDir, fault], {
    stdout: 'inherit',
    stderr: 'inherit',
  });
}

// An archive has no segments.
test.each(FAULT_POINTS.export.filter((point) => point !== 'export.segment'))(
  'an archive killed at %s is complete after the next start, and nothing else is left',
  async (point) => {
    const me = await seed(database).user();
    const bytes = crypto.getRandomValues(new Uint8Array(50_000));
    const asset = await addFile(database, { name: 'a.jpg', bytes }, { ownerId: me.id });
    const memory = await addMemory(database, { ownerId: me.id, type: 'custom', name: 'x' }, [
      asset,
    ]);
    const { body } = await call(app, `POST /memories/${memory}/exports`, {
      as: me,
      body: { kind: 'archive' },
    });
    expect(await startChild(point).exited).not.toBe(0);
    expect((await call(app, `GET /memories/exports/${body.id}`, { as: me })).body.status).toBe(
      'running',
    );
    expect(await startChild().exited).toBe(0);
    const run = (await call(app, `GET /memories/exports/${body.id}`, { as: me })).body;
    expect(run).toMatchObject({ status: 'completed', total: 1, processed: 1, skipped: 0 });
    const reply = await send(app, `GET /memories/exports/${body.id}/download`, { as: me });
    expect((await reply.bytes()).length).toBe(run.sizeInBytes);
    const files = readdirSync(database.deps.paths.exports);
    expect(files.filter((name) => name.startsWith(body.id))).toEqual([`${body.id}.zip`]);
    const notices = await database.sql`select 1 from notification where owner_id = ${me.id}`;
    expect(notices).toHaveLength(1);
  },
  600_000,
);
