import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BOUNDARY,
  DATES,
  filePart,
  createForm,
  type FormPart,
  photoForm,
  toSha1Hex,
  randomFileBytes,
  upload,
} from '../../../../test/support/forms.ts';
import { type FormServer, openFormServer } from '../../../../test/support/form-server.ts';
import { type Caller, seed, testApp } from '../../../../test/support/harness.ts';
import { skipWithout } from '../../../../test/support/requirements.ts';
import { mountDisk, unmount } from '../../../../test/support/mounts.ts';
import { dataPaths } from '../../../core/paths.ts';

let server: FormServer;
beforeAll(async () => {
  server = await openFormServer();
});
afterAll(() => server.close());

const with_ = (...more: FormPart[]) => createForm([...DATES, ...more]);

describe('a refused upload leaves no row and no file', () => {
  const file = randomFileBytes(300_000);
  const photo = filePart(file);
  const cases: [string, () => Uint8Array, (caller: Caller) => Caller, number, string | RegExp][] = [
    ['no credentials', () => photoForm(file), () => ({}), 401, 'Authentication required'],
    ['a wrong key', () => photoForm(file), () => ({ as: { key: 'x' } }), 401, 'Invalid API key'],
    [
      'an executable by its name',
      () => photoForm(file, [], 'a.exe'),
      as,
      400,
      'Unsupported file type a.exe',
    ],
    [
      'a compressed SVG',
      () => photoForm(file, [], 'a.svgz'),
      as,
      400,
      'Unsupported file type a.svgz',
    ],
    [
      'a file name field with an unsupported extension',
      () => photoForm(file, [{ name: 'filename', value: 'a.exe' }], 'b'),
      as,
      400,
      'Unsupported file type a.exe',
    ],
    [
      'a file name without an extension',
      () => with_({ name: 'assetData', fileName: 'blob', bytes: file }),
      as,
      400,
      /^Unsupported file type/,
    ],
    ['no file', () => with_(), as, 400, 'Validation failed'],
    ['an empty file', () => photoForm(new Uint8Array(0)), as, 400, 'Validation failed'],
    ['two files', () => with_(photo, photo), as, 400, 'Validation failed'],
    ['no dates', () => createForm([photo]), as, 400, 'Validation failed'],
    [
      'a wrong date after the file',
      () => createForm([photo, DATES[0]!, { name: 'fileModifiedAt', value: 'soon' }]),
      as,
      400,
      'Validation failed',
    ],
    [
      'a sidecar of an unsupported type',
      () => with_(photo, { name: 'sidecarData', fileName: 'a.json', bytes: file }),
      as,
      400,
      'Unsupported file type a.json',
    ],
    [
      'a sidecar beyond the size limit',
      () =>
        with_(photo, { name: 'sidecarData', fileName: 'a.xmp', bytes: new Uint8Array(10_500_000) }),
      as,
      400,
      'The sidecar is longer than 10 MiB',
    ],
    [
      'a truncated form',
      () => photoForm(file).subarray(0, 200_000),
      as,
      400,
      'The form is broken or incomplete',
    ],
    [
      'a form without its closing boundary',
      () => photoForm(file).subarray(0, -BOUNDARY.length - 8),
      as,
      400,
      'The form is broken or incomplete',
    ],
    [
      'a body that is no form',
      () => file,
      (caller) => ({ ...as(caller), headers: { 'content-type': 'image/jpeg' } }),
      415,
      /multipart\/form-data/,
    ],
    [
      'a form without its boundary',
      () => file,
      (caller) => ({ ...as(caller), headers: { 'content-type': 'multipart/form-data' } }),
      400,
      'The form is broken or incomplete',
    ],
    [
      'bytes that differ from their checksum',
      () => photoForm(file),
      (caller) => ({
        ...as(caller),
        headers: { 'x-immich-checksum': toSha1Hex(randomFileBytes()) },
      }),
      400,
      'The file does not have the checksum that was given for it',
    ],
    [
      'a malformed checksum',
      () => photoForm(file),
      (caller) => ({ ...as(caller), headers: { 'x-immich-checksum': 'abc' } }),
      400,
      /no SHA-1/,
    ],
    [
      'too many fields',
      () => with_(...Array.from({ length: 300 }, () => ({ name: 'x', value: '1' })), photo),
      as,
      400,
      'The form has too many parts',
    ],
  ];
  function as(caller: Caller): Caller {
    return { ...caller, as: server.alice };
  }
  for (const [name, form, createCaller, status, message] of cases) {
    test(`${name} → ${status}`, async () => {
      const reply = await server.leavesNothing(() => upload(server.app, form(), createCaller({})));
      expect(reply.status).toBe(status);
      if (typeof message === 'string') expect(reply.body.message).toBe(message);
      else expect(reply.body.message).toMatch(message);
    });
  }

  test('a key without the permission → 403 that names the permission', async () => {
    const reader = await seed(server.database).user(['asset.read']);
    const reply = await server.leavesNothing(() =>
      upload(server.app, photoForm(file), { as: reader }),
    );
    expect(reply).toMatchObject({ status: 403 });
    expect(reply.body.message).toContain('asset.upload');
  });
});

test('returns 503 when an upload would use the reserved disk space', async () => {
  const { settings } = server.database.deps;
  const full = testApp(server.database, { settings: { ...settings, reserveBytes: 2 ** 50 } });
  const reply = await server.leavesNothing(() =>
    upload(full, photoForm(randomFileBytes()), { as: server.alice }),
  );
  expect(reply).toMatchObject({
    status: 503,
    body: { message: 'The server has no space left for uploads' },
  });
});

skipWithout('tmpfs').test('a full disk leaves no partial file and no row', async () => {
  const { settings } = server.database.deps;
  const small = await mkdtemp(join(tmpdir(), 'safelight-small-'));
  mountDisk(small, 4 * 1024 ** 2);
  try {
    const deps = { paths: dataPaths(small), settings: { ...settings, reserveBytes: 0 } };
    const tight = testApp(server.database, deps);
    const reply = await server.leavesNothing(() =>
      // Without a length it is not refused by its head.
      upload(tight, photoForm(randomFileBytes(6_000_000)), { as: server.alice }),
    );
    expect(reply).toMatchObject({
      status: 503,
      body: { message: 'The server has no space left for uploads' },
    });
    expect(await readdir(deps.paths.incoming)).toEqual([]);
    expect(
      await upload(tight, photoForm(randomFileBytes(100_000)), { as: server.alice }),
    ).toMatchObject({
      status: 201,
    });
  } finally {
    unmount(small);
    await rm(small, { recursive: true });
  }
});
