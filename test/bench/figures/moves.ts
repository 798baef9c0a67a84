import type { Step } from './groups.ts';
import type { MeasuredLibrary } from './library.ts';
import type { Row } from './measures.ts';
import { waitForIdleJobs } from './metered-server.ts';
import { createSender } from './server.ts';

/** Largest number of items in a move; a quarter of a small library. */
const MOVED = 5_000;
const POLL_MS = 25;

/** Moves of many items, each undone by another: all begin with the same library. */
export async function createMoveSteps(library: MeasuredLibrary): Promise<Step[]> {
  const { sql, meter, server, accounts, assets } = library;
  const count = Math.min(MOVED, Math.floor(assets / 4));
  const rows = await sql<{ id: string }[]>`
    select id from asset where visibility = 'timeline' and trashed_at is null
    order by local_taken_at desc limit ${count}`;
  const ids = rows.map(({ id }) => id);
  const send = createSender(server.url, { authorization: `Bearer ${accounts.owner}` });
  const table = `Moves of ${count.toLocaleString('en')} of ${assets.toLocaleString('en')} assets`;
  let operationId = '';
  const move = (name: string, start: () => Promise<unknown>): Step => ({
    name,
    async run(): Promise<Row[]> {
      const { ms, serverCpuMs, databaseCpuMs, statements, blocks, walKiB } = await meter.measure(
        async () => {
          await start();
          await waitForIdleJobs(sql, POLL_MS);
        },
      );
      const counts =
        statements === undefined ? {} : { statements, blocks: blocks!, walKiB: walKiB! };
      return [{ table, name, values: { serverCpuMs, databaseCpuMs, ...counts, ms } }];
    },
  });
  return [
    move('trash', () => send('DELETE', '/assets', { ids })),
    move('restore', () => send('POST', '/trash/restore/assets', { ids })),
    move('archive', async () => {
      ({ id: operationId } = await send('POST', '/archive-operations', { assetIds: ids }));
    }),
    move('undo of the archive', () => send('POST', `/archive-operations/${operationId}/undo`, {})),
  ];
}
