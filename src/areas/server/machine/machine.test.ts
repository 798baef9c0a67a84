import { beforeAll, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useDatabase } from '../../../../test/support/database.ts';
import { call, seed, testApp, type TestUser } from '../../../../test/support/harness.ts';
import { chooseProfile, getInferenceMemory, readMemoryBytes } from '../../../core/machine.ts';
import type { Settings } from '../../../core/settings.ts';
import { readCertificate } from '../../../http/certificate.ts';
import { withOwnCertificate } from '../../../http/self-signed.ts';
import { OWN_DEFAULTS, readConfig, withProfile } from '../../system-config/index.ts';
import { getMachine } from './machine.domain.ts';

const database = await useDatabase();
let admin: TestUser;
let settings: Settings;
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true });
  const inferenceMemoryBytes = getInferenceMemory('large');
  settings = { ...database.deps.settings, profile: 'large', inferenceMemoryBytes };
});
beforeEach(async () => {
  await database.sql`truncate system_config`;
});

const createApp = () => testApp({ ...database, deps: { ...database.deps, settings } });
const choose = (profile: string, as: TestUser = admin) =>
  call(createApp(), 'PUT /admin/config/safelight', {
    as,
    body: { ...OWN_DEFAULTS, machine: { profile } },
  });
const get = async () => (await call(createApp(), 'GET /admin/machine', { as: admin })).body;
const isRecognised = async () =>
  (await readConfig(database.db, 'machineLearning')).machineLearning.enabled;

test('the chosen profile goes before the detected one, and changes what depends on it', async () => {
  expect(await get()).toMatchObject({
    profile: 'large',
    detectedProfile: chooseProfile(readMemoryBytes()),
    isRestartNeeded: false,
    certificate: null,
    timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
  expect((await choose('small')).status).toBe(200);
  expect(await get()).toMatchObject({ profile: 'small', isRestartNeeded: true });
  expect(await isRecognised()).toBe(false);
  const { job } = await readConfig(database.db, 'job');
  expect(job.thumbnailGeneration.concurrency).toBe(1);
  const restarted = await withProfile(database.db, settings);
  expect(restarted.inferenceMemoryBytes).toBe(getInferenceMemory('small'));
  const machine = await getMachine({ ...database.deps, settings: restarted }, undefined);
  expect(machine.isRestartNeeded).toBe(false);

  await choose('auto');
  expect(await get()).toMatchObject({ profile: 'large', isRestartNeeded: false });
  expect(await isRecognised()).toBe(true);
});

test('memory that was set for the models stays, and needs no restart', async () => {
  const own = { ...settings, inferenceMemoryBytes: 700 * 1024 ** 2 };
  await choose('small');
  expect(await withProfile(database.db, own)).toEqual(own);
  const machine = await getMachine({ ...database.deps, settings: own }, undefined);
  expect(machine.isRestartNeeded).toBe(false);
});

test('another change of the configuration leaves recognition as it is', async () => {
  await choose('small');
  const { machineLearning } = await readConfig(database.db, 'machineLearning');
  expect(machineLearning.enabled).toBe(false);
  await database.sql`delete from system_config where section = 'machineLearning'`;
  await choose('small');
  expect(await isRecognised()).toBe(true);
});

test('the certificate in force is described', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'machine-test-'));
  try {
    const own = await withOwnCertificate({ ...settings, https: 'self-signed' }, folder);
    const pem = readCertificate(own)!.cert;
    const { certificate } = await getMachine({ ...database.deps, settings: own }, pem);
    expect(certificate).toMatchObject({ isSelfSigned: true, issuer: 'CN=Safelight' });
    expect(certificate!.fingerprint).toMatch(/^(?:[\dA-F]{2}:){31}[\dA-F]{2}$/);
    expect(certificate!.names).toContain('localhost');
    expect(Date.parse(certificate!.expiresAt)).toBeGreaterThan(Date.now());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('only administrators see it, and an unknown profile is refused', async () => {
  const app = createApp();
  const user = await seed(database).user();
  const keyOnly = await seed(database).user(['album.read'], { isAdmin: true });
  expect((await call(app, 'GET /admin/machine', { as: user })).status).toBe(403);
  expect((await call(app, 'GET /admin/machine', { as: keyOnly })).status).toBe(403);
  expect((await call(app, 'GET /admin/machine')).status).toBe(401);
  expect((await choose('small', user)).status).toBe(403);
  expect((await choose('huge')).status).toBe(400);
  expect(await isRecognised()).toBe(true);
});
