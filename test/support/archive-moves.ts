import type { TestDatabase, TestUser } from './harness.ts';
import { call } from './harness.ts';
import { jobCtx } from './processing.ts';
import { handleRunMoveIn } from '../../src/areas/move-ins/run.handlers.ts';
import type { App } from '../../src/app.ts';
import type { Effect } from '../../src/jobs/define.ts';

export type NamedZip = { readonly name: string; readonly bytes: Uint8Array };

/** Moves from ZIP files, as a client makes them. */
export function useArchiveMoves({ database, app }: { database: TestDatabase; app: App }) {
  const announce = (as: TestUser, zips: readonly NamedZip[], body: object = {}) => {
    const archives = zips.map(({ name, bytes }) => ({ name, size: bytes.length }));
    return call(app, 'POST /move-ins/archives', { as, body: { archives, ...body } });
  };
  const send = (as: TestUser, path: string, bytes: Uint8Array, offset: number | string = 0) =>
    call(app, `PATCH /move-ins/${path}`, {
      as,
      body: bytes as never,
      headers: { 'upload-offset': String(offset), 'content-type': 'application/octet-stream' },
    });
  const start = (as: TestUser, id: string) =>
    call(app, `POST /move-ins/${id}/start`, { as, body: {} });
  const run = async (operationId: string, ctx = jobCtx(database)) => {
    const effect: Effect | void = await handleRunMoveIn(ctx, { operationId });
    const after = await database.db.transaction(async (tx) => effect?.(tx));
    await after?.();
  };
  const read = async (as: TestUser, id: string) =>
    (await call(app, 'GET /move-ins', { as })).body.find((one: { id: string }) => one.id === id);
  const listFailures = async (as: TestUser, id: string): Promise<[string, string][]> =>
    (await call(app, `GET /move-ins/${id}/failures`, { as })).body.failures.map(
      ({ name, reason }: { name: string; reason: string }) => [name, reason],
    );
  /** Uploads all, and unpacks them. */
  async function unpack(as: TestUser, zips: readonly NamedZip[], body: object = {}) {
    const { id } = (await announce(as, zips, body)).body;
    for (const [at, { bytes }] of zips.entries()) await send(as, `${id}/archives/${at}`, bytes);
    await start(as, id);
    await run(id);
    return id as string;
  }
  /** The same, and takes them in. */
  async function moveIn(as: TestUser, zips: readonly NamedZip[], body: object = {}) {
    const id = await unpack(as, zips, body);
    await start(as, id);
    await run(id);
    return id;
  }
  return { announce, send, start, run, read, listFailures, unpack, moveIn };
}
