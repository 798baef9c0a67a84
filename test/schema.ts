// Writes migrations/README.md from the migrations and a migrated database: `make schema`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../src/core/log.ts';
import { openDatabase } from '../src/db/client.ts';
import { startCluster } from '../src/db/cluster.ts';
import { migrate } from '../src/db/migrate.ts';
import { describeSchema } from './support/schema-document.ts';

const log = createLog({ level: 'warn', format: 'pretty' });
const folder = mkdtempSync(join(tmpdir(), 'safelight-schema-'));
const cluster = await startCluster({ dataDir: folder, durability: 'none', log });
const database = openDatabase(cluster.url, { max: 1 });
try {
  await migrate(database.sql);
  const path = join(import.meta.dir, '../migrations/README.md');
  await Bun.write(path, await describeSchema(database.sql));
} finally {
  await database.close();
  await cluster.stop();
  rmSync(folder, { recursive: true, force: true });
}
