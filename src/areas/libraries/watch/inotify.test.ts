import { expect, test } from 'bun:test';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../../../test/support/libraries.ts';
import { IN_USER_NAMESPACE, skipWithout } from '../../../../test/support/requirements.ts';
import { IN, openInotify } from './inotify.ts';

test('tells what happens in a folder', async () => {
  const folder = await makeFolder();
  const inotify = openInotify();
  const watch = inotify.add(folder)!;
  expect(inotify.add(join(folder, 'nothing'))).toBeUndefined();
  expect(inotify.read()).toEqual([]);
  await writeFile(join(folder, 'é.jpg'), 'x');
  await mkdir(join(folder, 'made'));
  await rm(folder, { recursive: true });
  const events = inotify.read();
  const has = (name: string, bits: number) =>
    events.some((event) => event.name === name && (event.mask & bits) === bits);
  expect(events.every((event) => event.watch === watch)).toBe(true);
  expect(has('é.jpg', IN.closeWrite)).toBe(true);
  expect(has('made', IN.create | IN.isFolder)).toBe(true);
  expect(has('', IN.ignored)).toBe(true);
  inotify.close();
});

const SCRIPT = `
  const { openInotify } = await import('${join(import.meta.dir, 'inotify.ts')}');
  const inotify = openInotify();
  for (const path of ['/usr', '/etc', '/var', '/tmp', '/dev', '/proc']) inotify.add(path);`;

skipWithout('user namespaces').test('says when the system allows no more watched folders', () => {
  const command = `echo 3 > /proc/sys/user/max_inotify_watches; exec "$0" -e "$1"`;
  const { exitCode, stderr } = Bun.spawnSync([
    ...IN_USER_NAMESPACE,
    command,
    process.execPath,
    SCRIPT,
  ]);
  expect(stderr.toString()).toContain('WatchLimitError: fs.inotify.max_user_watches is exhausted');
  expect(exitCode).not.toBe(0);
});
