import { afterAll, expect, test } from 'bun:test';
import { useDatabase } from '../../test/support/database.ts';
import { startS3Server } from '../../test/support/s3-server.ts';
import { openObjectStore, readStoreMark } from './objects.ts';
import { MARKER } from './stored-file.ts';

// An empty bucket that another server marks after this one has looked for the mark.

const server = startS3Server();
const database = await useDatabase();
const deps = {
  ...database.deps,
  settings: { ...database.deps.settings, ...server.settings },
};
afterAll(() => server.stop());

const markWhileListed = (id: string) => {
  server.fault = (request) => {
    if (request.url.includes('list-type') && !server.objects.has(MARKER)) {
      server.objects.set(MARKER, { bytes: new TextEncoder().encode(id), modifiedAt: new Date() });
    }
    return undefined;
  };
};

test('an empty bucket that a server of another library marks at the same moment is refused, one of this library is not', async () => {
  markWhileListed(crypto.randomUUID());
  const refusal = await openObjectStore(deps).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ reason: expect.stringContaining('belongs to another library') });
  const { id, isMarked } = await readStoreMark(database.db);
  expect(isMarked).toBe(false);
  server.objects.clear();
  markWhileListed(id);
  await openObjectStore(deps);
  expect((await readStoreMark(database.db)).isMarked).toBe(true);
});
