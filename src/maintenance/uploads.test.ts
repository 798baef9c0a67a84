import { afterAll, afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { signUp } from '../../test/e2e/server.ts';
import { createMemoryFolder } from '../../test/support/memory-folder.ts';
import { addDatabase } from '../../test/fixtures/data-folder.ts';
import { runCommand } from '../../test/support/command-line.ts';
import { randomFileBytes } from '../../test/support/forms.ts';
import { append, appendHeaders, getUploadState, reserve } from '../../test/support/resumable.ts';
import { serveFrom } from '../../test/support/served.ts';
import { until } from '../../test/support/until.ts';
import { closeAllConnections, formatHead, openConnection } from '../../test/support/wire.ts';

setDefaultTimeout(300_000);

const folder = createMemoryFolder('uploads-test-');
const served = serveFrom(folder);
afterEach(async () => {
  closeAllConnections();
  await served.stopAll();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('an upload that maintenance mode cuts off is resumed with the bytes that had arrived', async () => {
  const dataDir = mkdtempSync(join(folder, 'data-'));
  await addDatabase(dataDir);
  const { url } = await served.serve('--data', dataDir);
  const { apiKey: key } = await signUp(url);
  const client = { port: Number(new URL(url).port), key };
  const file = Buffer.from(randomFileBytes(2_000_000));
  const location = await reserve(client, file);
  const wire = await openConnection(client.port);
  const headers = { ...appendHeaders(client, 0), 'content-length': file.length };
  // The rest never comes.
  wire.write(formatHead(`PATCH ${location}`, headers), file.subarray(0, 1_000_000));
  const isActive = async () =>
    ((await (await fetch(`${url}/api/admin/maintenance/status`)).json()) as { active: boolean })
      .active;
  const change = (action: string) => runCommand(folder, ['maintenance', action, '--data', dataDir]);

  await change('start');
  await until(isActive, 120_000);
  await wire.closed;
  expect((await append(client, location, 0, file)).status).toBe(503);
  await change('end');
  await until(async () => !(await isActive()), 120_000);

  const [status, offset] = await getUploadState(client, location);
  expect([status, Number(offset) > 0]).toEqual([204, true]);
  const rest = await append(client, location, Number(offset), file.subarray(Number(offset)));
  expect(rest.status).toBeLessThan(300);
  const path = `${url}/api/assets/${rest.body.assetId}/original`;
  const read = () => fetch(path, { headers: { 'x-api-key': key } });
  await until(async () => (await read()).status === 200, 120_000);
  expect(Buffer.from(await (await read()).arrayBuffer()).equals(file)).toBe(true);
});
