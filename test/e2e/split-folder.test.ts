import { afterAll, expect } from 'bun:test';
import { chmodSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { getScratchFolder } from '../../src/storage/stored-file.ts';
import { dataPaths } from '../../src/core/paths.ts';
import { addDatabase } from '../fixtures/data-folder.ts';
import { flat } from '../fixtures/index.ts';
import { createMemoryFolder } from '../support/memory-folder.ts';
import { mountDisk, unmount } from '../support/mounts.ts';
import { isReady, serveFrom } from '../support/served.ts';
import { createApi } from './people.ts';
import { signUp, until } from './server.ts';
import { skipWithout } from '../support/requirements.ts';

// The first thing that the owner of a NAS does: the pictures lie on the large disk, the database on the fast one.

const folder = createMemoryFolder('split-folder-');
// The server does not run as root.
chmodSync(folder, 0o755);
const dataDir = join(folder, 'data');
const paths = dataPaths(dataDir);
const disks = [paths.originals, paths.derived, paths.profiles, paths.backups];
for (const disk of disks) mkdirSync(disk, { recursive: true });
const servers = serveFrom(folder);
afterAll(async () => {
  await servers.stopAll();
  for (const disk of disks) unmount(disk);
  rmSync(folder, { recursive: true, force: true });
});

const listFiles = () =>
  readdirSync(paths.originals, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /^[\da-f]{64}$/.test(entry.name))
    .map(({ name }) => name);

skipWithout('tmpfs').test(
  'each folder may lie on a disk of its own',
  async () => {
    for (const disk of disks) mountDisk(disk, 64 * 1024 ** 2);
    await addDatabase(dataDir);
    const { url, lines } = await servers.serve('--data', dataDir, '--reserve=0');
    const { apiKey } = await signUp(url);
    const headers = { 'x-api-key': apiKey };
    const bytes = new Uint8Array(await flat([9, 80, 90]).jpeg().toBuffer());
    const send = (path: string, fields: Record<string, string | File>) => {
      const body = new FormData();
      for (const [name, value] of Object.entries(fields)) body.set(name, value);
      return fetch(`${url}/api${path}`, { method: 'POST', headers, body });
    };
    await until('the server', () => isReady(url));
    const time = '2026-01-01T00:00:00Z';
    const uploaded = await send('/assets', {
      assetData: new File([bytes], 'a.jpg'),
      fileCreatedAt: time,
      fileModifiedAt: time,
    });
    expect(uploaded.status).toBe(201);
    const { id } = (await uploaded.json()) as { id: string };
    expect(listFiles()).toHaveLength(1);
    await until(
      'a thumbnail',
      async () => (await fetch(`${url}/api/assets/${id}/thumbnail`, { headers })).ok,
    );
    const picture = await send('/users/profile-image', { file: new File([bytes], 'me.jpg') });
    expect(picture.status).toBe(201);
    await createApi(url, apiKey)('DELETE', '/assets', { ids: [id], force: true });
    await until('the removal', async () => listFiles().length === 0);
    const isFault = ({ level, message }: (typeof lines)[number]) =>
      level !== 'info' && message !== 'slow request';
    expect(lines.filter(isFault)).toEqual([]);
    expect(readdirSync(getScratchFolder(paths))).toEqual([]);
  },
  120_000,
);
