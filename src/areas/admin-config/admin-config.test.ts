import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { configWith } from '../../../test/support/config.ts';
import { call, type Caller, seed, testApp, type TestUser } from '../../../test/support/harness.ts';
import type { Json } from '../../../test/support/json.ts';
import { DEFAULTS, listDisabledQueues, readConfig } from '../system-config/index.ts';
import { STORAGE_OPTIONS } from './storage-options.ts';

const { database, app } = await useApp();
let admin: TestUser;
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true });
});
afterEach(async () => {
  await database.sql`truncate system_config`;
  await database.sql`delete from job`;
});

const get = async (path = '/system-config', caller: Caller = { as: admin }): Promise<Json> =>
  (await call(app, `GET ${path}` as 'GET /', caller)).body;
const put = (body: object, over: Partial<Caller> = {}) =>
  call(app, 'PUT /system-config', { session: admin, body, ...over });
const listSections = async () =>
  Object.fromEntries(
    (await database.sql`select section, value from system_config`).map((row) => [
      row['section'],
      row['value'],
    ]),
  );

describe('the document', () => {
  test('is the default until it is changed, at both addresses', async () => {
    for (const path of [
      '/system-config',
      '/system-config/defaults',
      '/admin/config',
      '/admin/config/defaults',
    ]) {
      expect(await get(path)).toEqual(DEFAULTS);
    }
  });

  test('is replaced as a whole; only what differs is stored', async () => {
    const changed = configWith({ server: { loginPageMessage: 'Welcome' }, trash: { days: 5 } });
    const { status, body } = await put(changed);
    expect([status, body]).toEqual([200, changed]);
    expect(await get('/admin/config')).toEqual(changed);
    expect(await listSections()).toEqual({
      server: { loginPageMessage: 'Welcome' },
      trash: { days: 5 },
    });
    await call(app, 'PUT /admin/config', { session: admin, body: DEFAULTS });
    expect(await listSections()).toEqual({});
  });

  test.each([
    ['25:00', 'string'],
    [null, 'object'],
  ])('refuses %p as start of the nightly tasks in the words of Immich', async (startTime, type) => {
    const nightlyTasks = { ...DEFAULTS.nightlyTasks, startTime };
    const reply = await put({ ...DEFAULTS, nightlyTasks });
    const message = `Invalid input: expected string in HH:MM format, received ${type}`;
    expect(reply).toMatchObject({
      status: 400,
      body: { errors: [{ path: ['nightlyTasks', 'startTime'], message }] },
    });
  });

  test('refuses values that cannot work, naming them, and changes nothing', async () => {
    const refused = async (body: object) => {
      const reply = await put(body);
      expect(reply.status).toBe(400);
      return reply.body.errors[0].path.join('.');
    };
    const { user: _, ...incomplete } = DEFAULTS;
    expect(await refused(incomplete)).toBe('user');
    expect(await refused(configWith({ trash: { days: -1 } }))).toBe('trash.days');
    expect(await refused(configWith({ ffmpeg: { crf: 99 } }))).toBe('ffmpeg.crf');
    expect(
      await refused(
        configWith({
          backup: { database: { ...DEFAULTS.backup.database, cronExpression: 'daily' } },
        }),
      ),
    ).toBe('backup.database.cronExpression');
    expect(await refused(configWith({ server: { externalDomain: 'ftp://nas' } }))).toBe(
      'server.externalDomain',
    );
    for (const [oauth, member] of [
      [{ accountManagementUrl: 'javascript:alert(1)' }, 'accountManagementUrl'],
      [{ issuerUrl: 'id.example' }, 'issuerUrl'],
      [{ mobileRedirectUri: 'none', mobileOverrideEnabled: true }, 'mobileRedirectUri'],
    ] as const) {
      expect(await refused(configWith({ oauth }))).toBe(`oauth.${member}`);
    }
    const email = { ...DEFAULTS.templates.email, welcomeTemplate: '{nothing}' };
    expect(await refused(configWith({ templates: { email } }))).toBe(
      'templates.email.welcomeTemplate',
    );
    expect(await listSections()).toEqual({});
  });

  test('accepts what Immich accepts: signatures are judged by the sign-on, defaults may be missing', async () => {
    const { accountManagementUrl: _, ...oauth } = {
      ...DEFAULTS.oauth,
      enabled: true,
      signingAlgorithm: 'something',
      profileSigningAlgorithm: '',
      mobileRedirectUri: 'none',
    };
    const { progressive: _thumbnail, ...thumbnail } = DEFAULTS.image.thumbnail;
    const { progressive: _preview, ...preview } = DEFAULTS.image.preview;
    const { progressive: _fullsize, ...fullsize } = DEFAULTS.image.fullsize;
    const image = { ...DEFAULTS.image, thumbnail, preview, fullsize };
    await put(
      configWith({
        oauth: { ...oauth, accountManagementUrl: 'https://id.example/me' },
        image: { ...DEFAULTS.image, preview: { ...preview, progressive: true } },
      }),
    );
    const { status, body } = await put({ ...DEFAULTS, oauth, image });
    expect([status, body]).toEqual([
      200,
      configWith({ oauth: { ...oauth, accountManagementUrl: '' } }),
    ]);
    expect(await get('/admin/config')).toEqual(body);
  });

  test.each([
    '{{foo}}',
    '{{y}}/{{filename',
    '{{#if album}}{{album}}',
    '{{y}}{{/if}}',
    '{{#if album}}{{else}}{{else}}{{/if}}',
    '{{#if album}}{{nothing}}{{/if}}',
    '{{#if nothing}}{{y}}{{else if album}}{{nothing}}{{else}}{{also}}{{/if}}',
    '{{helper y}}',
    '{{> partial}}',
    '{{{y}}',
    '{{&y}}}',
    // Nested, it would take for ever.
    '{{#each this}}{{#each @root}}{{/each}}{{/each}}',
  ])('refuses the storage template %p as Immich does', async (template) => {
    const { status, body } = await put(
      configWith({ storageTemplate: { ...DEFAULTS.storageTemplate, template } }),
    );
    expect([status, body.message]).toEqual([400, 'Invalid storage template']);
    expect(body.errors).toBeUndefined();
    expect(await listSections()).toEqual({});
  });

  test.each([
    ...STORAGE_OPTIONS.presetOptions,
    '',
    'no tag }} at all',
    '{{ y }}/{{~MMM~}}/{{{filename}}}/{{&ext}}{{!-- {{foo}} --}}{{! note }}',
    '{{filetype}}{{filetypefull}}{{assetIdShort}}{{SSS}}{{album-endDate-dd}}',
    '{{#unless album}}{{foo}}{{else}}{{album}}{{/unless}}{{#if nothing}}{{foo}}{{^}}{{y}}{{/if}}',
    '{{#if album}}{{#if nothing}}{{a}}{{/if}}{{else if make}}{{b}}{{else}}{{c}}{{/if}}',
    '{{#with this}}{{album}}{{/with}}{{lookup this "nothing"}}{{log album}}',
  ])('accepts the storage template %p', async (template) => {
    const storageTemplate = { ...DEFAULTS.storageTemplate, template };
    expect((await put(configWith({ storageTemplate }))).status).toBe(200);
  });

  test('keeps secrets that are not sent again, and never shows them', async () => {
    const oauth = { ...DEFAULTS.oauth, clientId: 'me', clientSecret: 'hush' };
    const transport = {
      ...DEFAULTS.notifications.smtp.transport,
      host: 'mail',
      username: 'me',
      password: 'hush',
    };
    const smtp = { ...DEFAULTS.notifications.smtp, transport };
    const { body } = await put(configWith({ oauth, notifications: { smtp } }));
    expect(JSON.stringify(body)).not.toContain('hush');
    expect(JSON.stringify(await get())).not.toContain('hush');
    await put({ ...body, server: { ...body.server, loginPageMessage: 'x' } });
    const kept = await readConfig(database.db, 'oauth', 'notifications');
    expect(kept.oauth.clientSecret).toBe('hush');
    expect(kept.notifications.smtp.transport.password).toBe('hush');
    await put(configWith({ oauth: { ...oauth, clientId: 'other', clientSecret: '' } }));
    const changed = await readConfig(database.db, 'oauth', 'notifications');
    expect(changed.oauth.clientSecret).toBe('');
    expect(changed.notifications.smtp.transport.password).toBe('');
  });

  test('is for administrators with the permission', async () => {
    const user = await seed(database).user();
    const reader = await seed(database).user(['systemConfig.read', 'adminConfig.read'], {
      isAdmin: true,
    });
    for (const address of ['/system-config', '/admin/config'] as const) {
      expect((await call(app, `GET ${address}`, { as: user })).status).toBe(403);
      expect((await call(app, `GET ${address}`)).status).toBe(401);
      expect((await call(app, `PUT ${address}`, { as: reader, body: DEFAULTS })).status).toBe(403);
    }
  });

  test('does not change what the command line sets', async () => {
    const settings = { ...database.deps.settings, trashDays: 3 };
    const locked = testApp(database, { settings });
    const read = (path: string) => call(locked, `GET ${path}` as 'GET /', { as: admin });
    expect((await read('/admin/config/locked')).body).toEqual([
      { path: 'trash.days', flag: '--trash-days' },
    ]);
    expect(await get('/admin/config/locked')).toEqual([]);
    expect((await read('/system-config')).body.trash.days).toBe(3);
    expect((await read('/server/config')).body.trashDays).toBe(3);
    const { status, body } = await call(locked, 'PUT /system-config', {
      as: admin,
      body: DEFAULTS,
    });
    expect([status, body.errors[0]]).toEqual([
      400,
      { code: 'custom', path: ['trash', 'days'], message: 'Set by --trash-days' },
    ]);
  });

  test('lists the parts of storage templates', async () => {
    const options = await get('/system-config/storage-template-options');
    expect(options.yearOptions).toEqual(['y', 'yy']);
  });
});

describe('a change is in force', () => {
  test('in what clients are told', async () => {
    await put(
      configWith({
        server: {
          externalDomain: 'https://nas.example/',
          loginPageMessage: 'Hi',
          publicUsers: false,
        },
        theme: { customCss: 'body {}' },
        trash: { days: 9 },
        user: { deleteDelay: 2 },
        map: { ...DEFAULTS.map, enabled: false },
        reverseGeocoding: { enabled: false },
      }),
    );
    expect(await get('/server/config', {})).toMatchObject({
      externalDomain: 'https://nas.example',
      loginPageMessage: 'Hi',
      publicUsers: false,
      trashDays: 9,
      userDeleteDelay: 2,
    });
    expect(await get('/server/features', {})).toMatchObject({
      map: false,
      reverseGeocoding: false,
    });
    expect(await get('/public/config', {})).toMatchObject({
      server: { loginPageMessage: 'Hi' },
      theme: { customCss: 'body {}' },
    });
    expect(await get('/config')).toMatchObject({
      map: { enabled: false },
      trash: { days: 9 },
      user: { deleteDelay: 2 },
    });
    expect((await get('/config/defaults')).trash.days).toBe(30);
  });

  test('for the list of accounts: if they are not public, only administrators see others', async () => {
    const user = await seed(database).user();
    const listIds = async (caller: Caller) =>
      (await get('/users', caller)).map(({ id }: { id: string }) => id);
    expect(await listIds({ as: user })).toContain(admin.id);
    await put(configWith({ server: { publicUsers: false } }));
    expect(await listIds({ as: user })).toEqual([user.id]);
    expect(await listIds({ as: admin })).toContain(user.id);
  });

  test('for recognition: what was switched on again is done for what was added meanwhile', async () => {
    const { machineLearning } = DEFAULTS;
    await put(
      configWith({
        machineLearning: { ...machineLearning, ocr: { ...machineLearning.ocr, enabled: false } },
      }),
    );
    expect(await listDisabledQueues(database.db)).toEqual(new Set(['ocr']));
    expect(await database.sql`select name from job`).toHaveLength(0);
    await put(configWith({ machineLearning: { ...machineLearning, enabled: false } }));
    expect((await listDisabledQueues(database.db)).size).toBe(4);
    await put(DEFAULTS);
    const jobs = await database.sql`select name, payload ->> 'queue' as queue from job`;
    expect([...jobs]).toEqual([{ name: 'assets.requeue', queue: 'analysis' }]);
  });
});
