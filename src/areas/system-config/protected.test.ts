import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { proveSessions } from '../../../test/support/accounts.ts';
import { configWith } from '../../../test/support/config.ts';
import { useApp } from '../../../test/support/database.ts';
import {
  call,
  type Caller,
  NOW,
  seed,
  testApp,
  type TestUser,
} from '../../../test/support/harness.ts';
import { saveConfig } from './config.domain.ts';
import { isMembers, type Members } from './differences.ts';
import { DEFAULTS, OWN_DEFAULTS } from './index.ts';
import { isProtected, listLeaves } from './protected.ts';

/**
 * The settings that decide nothing about who is who, rights, secrets, mail or copies: a key with the
 * permission may change them. A new setting is protected, or is added here.
 */
const OPEN = `
backup.database: enabled cronExpression keepLastAmount
ffmpeg: crf threads preset targetVideoCodec acceptedVideoCodecs targetAudioCodec acceptedAudioCodecs
  acceptedContainers targetResolution maxBitrate bframes refs gopSize temporalAQ cqMode twoPass
  preferredHwDevice transcode tonemap accel accelDecode
ffmpeg.realtime: enabled videoCodecs resolutions
image.thumbnail: format size quality progressive
image.preview: format size quality progressive
image.fullsize: enabled format quality progressive
image: colorspace extractEmbedded
integrityChecks.missingFiles: enabled cronExpression
integrityChecks.untrackedFiles: enabled cronExpression
integrityChecks.checksumFiles: enabled cronExpression timeLimit percentageLimit
job.backgroundTask: concurrency
job.editor: concurrency
job.faceDetection: concurrency
job.integrityCheck: concurrency
job.library: concurrency
job.metadataExtraction: concurrency
job.migration: concurrency
job.notifications: concurrency
job.ocr: concurrency
job.search: concurrency
job.sidecar: concurrency
job.smartSearch: concurrency
job.thumbnailGeneration: concurrency
job.videoConversion: concurrency
job.workflow: concurrency
library.scan: enabled cronExpression
library.watch: enabled
logging: enabled level
machineLearning: enabled urls
machineLearning.availabilityChecks: enabled timeout interval
machineLearning.clip: enabled modelName
machineLearning.duplicateDetection: enabled maxDistance
machineLearning.facialRecognition: enabled modelName minScore maxDistance minFaces
machineLearning.ocr: enabled modelName minDetectionScore minRecognitionScore maxResolution
map: enabled lightStyle darkStyle
metadata.faces: import
newVersionCheck: enabled channel
nightlyTasks: startTime databaseCleanup generateMemories syncQuotaUsage missingThumbnails
  clusterNewFaces
reverseGeocoding: enabled
storageTemplate: enabled hashVerificationEnabled template
trash: enabled days
user: deleteDelay
physicalDeduplication: masterUserId formerFiles
libraries: folders writeSidecars
machine: profile`;

const listOpen = (): string[] =>
  OPEN.trim()
    .replaceAll('\n  ', ' ')
    .split('\n')
    .flatMap((line) => {
      const [group, names] = line.split(': ') as [string, string];
      return names.split(' ').map((name) => `${group}.${name}`);
    });

const { database, app } = await useApp();
let admin: TestUser;
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true });
});
afterEach(async () => {
  await database.sql`truncate system_config`;
});

const listStored = async () => [...(await database.sql`select section, value from system_config`)];

/** Returns the document with another value of the same type at one place. */
function withOther(members: Members, path: string): Members {
  const [name, ...rest] = path.split('.') as [string, ...string[]];
  const value = members[name];
  const other = isMembers(value) ? withOther(value, rest.join('.')) : toOther(name, value);
  return { ...members, [name]: other };
}

function toOther(name: string, value: unknown): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  if (name === 'defaultStorageQuota') return 7;
  if (name === 'hosts') return ['nas'];
  if (Array.isArray(value)) return ['/other'];
  if (/Url$|Uri$|Endpoint$|Domain$/.test(name)) return 'https://evil.example';
  if (name === 'tokenEndpointAuthMethod') return 'client_secret_basic';
  if (name === 'signingAlgorithm' || name === 'profileSigningAlgorithm') return 'RS512';
  return 'a long enough other text';
}

/** A configuration in which every member can be changed for itself. */
const saveBase = () =>
  saveConfig(
    database.db,
    {
      oauth: { ...DEFAULTS.oauth, issuerUrl: 'https://id.example', clientId: 'me' },
      webhooks: { hosts: [], secret: 'a long enough secret' },
    },
    NOW,
  );

const ADDRESSES = ['/system-config', '/admin/config', '/admin/config/safelight'] as const;

test('every setting is decided: protected, or listed as open', () => {
  const leaves = [...listLeaves(DEFAULTS), ...listLeaves(OWN_DEFAULTS)];
  expect(leaves.filter((path) => !isProtected(path)).toSorted()).toEqual(listOpen().toSorted());
  for (const path of ['oauth.issuerUrl', 'passwordLogin.enabled', 'webhooks.secret']) {
    expect(leaves.filter(isProtected)).toContain(path);
  }
});

describe('a protected setting is changed by a session with a recent proof only', () => {
  const later = testApp(database, { now: () => new Date(NOW.getTime() + 10 * 60_000) });
  const callers = (): [string, typeof app, Caller][] => [
    ['a key', app, { as: admin }],
    ['a session whose login is too old', later, { session: admin }],
  ];

  for (const address of ADDRESSES) {
    const route = `PUT ${address}` as const;
    test(route, async () => {
      await saveBase();
      const before = await listStored();
      const { body: document } = await call(app, `GET ${address}`, { as: admin });
      for (const path of listLeaves(document).filter(isProtected)) {
        const body = withOther(document, path);
        for (const [who, server, caller] of callers()) {
          const reply = await call(server, route, { ...caller, body });
          expect([who, path, reply.status]).toEqual([who, path, 403]);
          const [error] = reply.body.errors;
          expect([error.code, error.path.join('.')]).toEqual(['proof_required', path]);
        }
      }
      expect(await listStored()).toEqual(before);
    });
  }

  test('PUT /admin/notifications/mail', async () => {
    const mail = {
      externalDomain: '',
      smtp: DEFAULTS.notifications.smtp,
      templates: DEFAULTS.templates.email,
    };
    for (const path of listLeaves(mail)) {
      const body = withOther(mail, path);
      for (const [who, server, caller] of callers()) {
        const { status } = await call(server, 'PUT /admin/notifications/mail', { ...caller, body });
        expect([who, path, status]).toEqual([who, path, 403]);
      }
    }
    expect(await listStored()).toEqual([]);
  });

  test('the login, the password and the PIN are such a proof for ten minutes', async () => {
    const body = configWith({ oauth: { ...DEFAULTS.oauth, buttonText: 'Enter' } });
    const put = (server = app) => call(server, 'PUT /system-config', { session: admin, body });
    await proveSessions(database, admin, null);
    expect((await put()).status).toBe(403);
    await proveSessions(database, admin, NOW);
    expect((await put()).status).toBe(200);
    const ahead = testApp(database, { now: () => new Date(NOW.getTime() - 3_600_000) });
    await database.sql`truncate system_config`;
    // A clock that was set back.
    expect((await put(ahead)).status).toBe(403);
  });
});

test('all other settings are changed by a key, with the protected ones as they are', async () => {
  await saveConfig(
    database.db,
    {
      oauth: { ...DEFAULTS.oauth, issuerUrl: 'https://id.example', clientSecret: 'hush' },
      server: { ...DEFAULTS.server, externalDomain: 'https://photos.example' },
    },
    NOW,
  );
  const { body } = await call(app, 'GET /system-config', { as: admin });
  const server = { ...body.server, externalDomain: 'https://photos.example/' };
  const changed = { ...body, server, trash: { enabled: true, days: 9 } };
  const key = await seed(database).user(['systemConfig.update'], { isAdmin: true });
  expect(await call(app, 'PUT /system-config', { as: key, body: changed })).toMatchObject({
    status: 200,
    body: { trash: { days: 9 }, oauth: { issuerUrl: 'https://id.example' } },
  });
  const [stored] = await database.sql`select value from system_config where section = 'oauth'`;
  expect(stored!['value'].clientSecret).toBe('hush');
});

test('a change of an administrator that comes between is not taken back by a key', async () => {
  const { body } = await call(app, 'GET /system-config', { as: admin });
  const disabled = { passwordLogin: { enabled: false } };
  await database.db.transaction(async (db) => {
    await saveConfig(db, disabled, NOW);
    const late = call(app, 'PUT /system-config', { as: admin, body });
    const isWaiting = await Promise.race([late.then(() => false), Bun.sleep(200).then(() => true)]);
    expect(isWaiting).toBe(true);
    void late.then((reply) => replies.push(reply.status));
  });
  while (replies.length === 0) await Bun.sleep(10);
  expect(replies).toEqual([403]);
});
const replies: number[] = [];
