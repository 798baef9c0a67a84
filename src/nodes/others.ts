import { openDatabase } from '../db/client.ts';
import { NODE_ID } from '../jobs/node-id.ts';
import { describeNodes } from './description.ts';
import { listRunningNodes } from './store.ts';

/** For the list of nodes, in seconds. */
export const NODE_DEADLINES = { statement: 5, answer: 6 };

/** Resolves when no other node runs on the database, or after `ms`: to a list of those that do, which is empty then. */
export async function waitForOthers(
  url: string,
  ms: number,
  { pauseMs = 500 } = {},
): Promise<string> {
  const database = openDatabase(url, { max: 1, name: 'node', deadlines: NODE_DEADLINES });
  const end = performance.now() + ms;
  try {
    for (;;) {
      const others = await listRunningNodes(database.db, NODE_ID);
      if (others.length === 0 || performance.now() >= end) return describeNodes(others);
      await Bun.sleep(pauseMs);
    }
  } finally {
    await database.close();
  }
}
