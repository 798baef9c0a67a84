import { expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/db/client.ts';
import { runCommand } from '../support/command-line.ts';
import { createDatabase, dropDatabase, toDatabaseUrl } from '../support/harness.ts';
import { TIMEOUT_MS } from './stage.ts';

test(
  'an old program ends itself where a newer one serves the library, and leaves its state alone',
  async () => {
    const name = await createDatabase('stale');
    const databaseUrl = toDatabaseUrl(name);
    const dataDir = mkdtempSync(join(tmpdir(), 'stale-program-'));
    const newer = openDatabase(databaseUrl, { max: 1 });
    try {
      await newer.sql`insert into schema_migration (name, checksum) values ('9999_newer', '')`;
      await newer.sql`insert into node (id, role, host, version, state, seen_at)
        values (gen_random_uuid(), 'server', 'attic', '9.9.9', 'ready', now() + interval '1 hour')`;
      const flags = ['--data', dataDir, '--database-url', databaseUrl, '--port', '0'];
      const { code, err } = await runCommand(dataDir, ['serve', ...flags]);
      expect(code).toBe(1);
      expect(err).toContain('newer version');
      expect(err).not.toContain('    at ');
      expect(existsSync(join(dataDir, 'maintenance/state.json'))).toBe(false);
    } finally {
      await newer.close();
      await dropDatabase(name);
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
  TIMEOUT_MS,
);
