import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import type { Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults, listFaultsOfLooks } from './faults.ts';
import { getDialog, go, goToAdmin, toast } from './people.ts';
import { holdRequest } from './routes.ts';
import { until } from './server.ts';
import { enter, leavePhone, onPhone, openOwnStage, type Stage, TIMEOUT_MS } from './stage.ts';

// The configuration of a server, which administrators change while it runs, in a real browser.

let stage: Stage;
let visitor: Visitor;
let page: Page;
let delivered: object;

beforeAll(async () => {
  stage = await openOwnStage('--trash-days', '9');
  delivered = await readConfig();
  visitor = await enter(stage, { viewport: { width: 1440, height: 900 } });
  ({ page } = visitor);
}, TIMEOUT_MS);

beforeEach(async () => {
  await stage.freshApi('PUT', '/admin/config', delivered);
  await page.goto('/admin/settings');
  await page.getByRole('heading', { name: 'Server settings', level: 1 }).waitFor();
}, TIMEOUT_MS);

afterEach(() => {
  expect(visitor.problems.filter((text) => !/status of 40[03]/.test(text))).toEqual([]);
});

afterAll(() => stage?.close(), TIMEOUT_MS);

const getSubject = (name: string, on = page) => on.getByRole('form', { name, exact: true });
const getSearch = (on = page) => on.getByRole('searchbox', { name: 'Search the settings' });
const save = (subject: string, on = page) =>
  on.getByRole('button', { name: `Save “${subject}”` }).click();
const readConfig = () => stage.api('GET', '/admin/config');
const changeConfig = async (section: string, change: object) => {
  const config = await readConfig();
  await stage.freshApi('PUT', '/admin/config', {
    ...config,
    [section]: { ...config[section], ...change },
  });
};

const { step, chapter } = journey(
  'an administrator changes the settings of the server',
  TIMEOUT_MS,
);

chapter('the subjects', () => {
  step('the settings are listed by subject', async () => {
    await page.goto('/');
    await goToAdmin(page, 'Server settings');
    await page.getByRole('heading', { name: 'Server settings', level: 1 }).waitFor();
    await getSubject('Recognition').getByLabel('Smart search', { exact: true }).waitFor();
    await eventually(() =>
      page.getByRole('button', { name: 'Save “Recognition”' }).isDisabled(),
    ).toBe(true);
    expect(await listFaultsOfLooks(page)).toEqual([]);
  });

  step('a setting of the command line is shown, with its flag, and cannot be changed', async () => {
    const days = getSubject('Accounts and trash').getByLabel('Days in the trash', {
      exact: true,
    });
    await eventually(() => days.inputValue()).toBe('9');
    await eventually(() => days.isDisabled()).toBe(true);
    await page.getByText('Set by --trash-days').waitFor();
    await eventually(() =>
      page.getByRole('button', { name: /^Reset to .* Days in the trash/ }).count(),
    ).toBe(0);
  });

  step('a search finds a setting by its help, and says when there is none', async () => {
    await getSearch().fill('town country');
    await page.getByText('1 setting found').waitFor();
    await getSubject('Map and places').getByLabel('Names of places', { exact: true }).waitFor();
    await eventually(() => page.getByRole('form').count()).toBe(1);
    await eventually(() => page.getByLabel('Map', { exact: true }).count()).toBe(0);
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await getSearch().fill('zebra');
    await page.getByRole('heading', { name: 'No setting found' }).waitFor();
    await eventually(() => page.getByRole('form').count()).toBe(0);
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await getSearch().fill('');
  });
});

chapter('what is unsaved', () => {
  step('a subject is saved by itself, and what is unsaved elsewhere stays', async () => {
    await getSubject('Server')
      .getByLabel('Message on the login page', { exact: true })
      .fill('Ask Ada');
    await getSubject('Map and places').getByLabel('Names of places', { exact: true }).uncheck();
    await save('Map and places');
    await toast(page, 'Saved');
    const config = await readConfig();
    expect([config.reverseGeocoding.enabled, config.server.loginPageMessage]).toEqual([false, '']);
    const message = getSubject('Server').getByLabel('Message on the login page', { exact: true });
    await eventually(() => message.inputValue()).toBe('Ask Ada');
    await save('Server');
    await until('the message is saved', async () => {
      return (await readConfig()).server.loginPageMessage === 'Ask Ada';
    });
  });

  step(
    'what is told before the login asks for the password when the own login is long ago',
    async () => {
      await stage.database.sql`update session set proven_at = null`;
      const subject = getSubject('Server');
      await subject.getByLabel('Message on the login page', { exact: true }).fill('Ask Bob');
      await save('Server');
      const dialog = getDialog(page);
      await dialog.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
      expect(await listFaultsOfLooks(page)).toEqual([]);
      const give = async (password: string) => {
        await dialog.getByLabel('Your password').fill(password);
        await dialog.getByRole('button', { name: 'Continue' }).click();
      };
      await give('not the password');
      await dialog.getByText('Wrong password').waitFor();
      expect((await readConfig()).server.loginPageMessage).toBe('Ask Ada');
      await give(stage.account.password);
      await until('the message is saved', async () => {
        return (await readConfig()).server.loginPageMessage === 'Ask Bob';
      });
      await eventually(() => page.getByRole('dialog').count()).toBe(0);
    },
  );

  step('what is typed while its subject is saved stays, and is saved next', async () => {
    const message = getSubject('Server').getByLabel('Message on the login page', { exact: true });
    const saving = await holdRequest(page, 'PUT', '/api/admin/config');
    await message.fill('Ask Carol');
    await save('Server');
    await saving.isHeld;
    await message.fill('Ask Dan');
    saving.release();
    await save('Server');
    await until('the message is saved', async () => {
      return (await readConfig()).server.loginPageMessage === 'Ask Dan';
    });
  });

  step('what is put back while its subject is saved is saved next', async () => {
    const message = getSubject('Server').getByLabel('Message on the login page', { exact: true });
    const saving = await holdRequest(page, 'PUT', '/api/admin/config');
    await message.fill('Ask Eve');
    await save('Server');
    await saving.isHeld;
    await message.fill('Ask Dan');
    saving.release();
    await until('the new message is saved', async () => {
      return (await readConfig()).server.loginPageMessage === 'Ask Eve';
    });
    await save('Server');
    await until('the former one is saved', async () => {
      return (await readConfig()).server.loginPageMessage === 'Ask Dan';
    });
  });

  step('a value that the server refuses is told at its setting', async () => {
    const address = getSubject('Server').getByLabel('Address of this page', { exact: true });
    await address.fill('ftp://nas');
    await save('Server');
    await getSubject('Server').getByText('This is not a valid address.').waitFor();
    await eventually(() => address.getAttribute('aria-invalid')).toBe('true');
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await eventually(async () => (await readConfig()).server.externalDomain).toBe('');
  });

  step('unsaved changes are not lost by a link, and stay in sight of a search', async () => {
    await getSearch().fill('town');
    await getSubject('Server').getByLabel('Address of this page', { exact: true }).waitFor();
    await getSearch().fill('');
    await go(page, 'Accounts');
    await getDialog(page).getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Reset to empty: Address of this page' }).click();
    await go(page, 'Accounts');
    await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor();
  });
});

chapter('a default', () => {
  step('a setting is reset to its default by key', async () => {
    await changeConfig('reverseGeocoding', { enabled: false });
    await page.getByRole('button', { name: 'Reset to on: Names of places' }).press('Enter');
    const setting = getSubject('Map and places').getByLabel('Names of places', { exact: true });
    await eventually(() => setting.evaluate((element) => element === document.activeElement)).toBe(
      true,
    );
    await page.getByRole('button', { name: 'Save “Map and places”' }).press('Enter');
    await until('it is on', async () => (await readConfig()).reverseGeocoding.enabled);
  });
});

chapter('a change by somebody else', () => {
  step('a change by somebody else is shown, and not undone by saving another subject', async () => {
    const map = getSubject('Map and places').getByLabel('Map', { exact: true });
    await eventually(() => map.isChecked()).toBe(true);
    await changeConfig('map', { enabled: false });
    await until('the map is off', async () => !(await map.isChecked()));
    await getSubject('Backup and nightly tasks')
      .getByLabel('New memories each night', { exact: true })
      .uncheck();
    await save('Backup and nightly tasks');
    await until('it is off', async () => !(await readConfig()).nightlyTasks.generateMemories);
    await eventually(async () => (await readConfig()).map.enabled).toBe(false);
  });
});

chapter('other kinds of settings', () => {
  step('a choice among many, a list and a secret are saved', async () => {
    const videos = getSubject('Videos for the screen');
    await videos
      .getByRole('group', { name: 'Video formats that are not converted' })
      .getByLabel('HEVC')
      .check();
    await videos.getByLabel('Resolution', { exact: true }).selectOption('2160p (4K)');
    await save('Videos for the screen');
    await until('it is saved', async () => (await readConfig()).ffmpeg.targetResolution === '2160');
    await eventually(async () => (await readConfig()).ffmpeg.acceptedVideoCodecs).toEqual([
      'h264',
      'hevc',
    ]);
    const hooks = getSubject('Webhooks');
    await hooks.getByLabel('Hosts, one per line', { exact: true }).fill('nas.local\n10.0.0.0/8');
    await save('Webhooks');
    await hooks.getByText('At least 16 characters.').waitFor();
    await hooks.getByLabel('Secret that signs them').fill('0123456789abcdef');
    await save('Webhooks');
    const readOwn = () => stage.api('GET', '/admin/config/safelight');
    await until('the hosts are saved', async () => (await readOwn()).webhooks.hosts.length === 2);
    await eventually(async () => (await readOwn()).webhooks).toEqual({
      hosts: ['nas.local', '10.0.0.0/8'],
      secret: '',
    });
    const secret = hooks.getByLabel('Secret that signs them');
    await until('the secret is gone', async () => (await secret.inputValue()) === '');
    expect(await listFaultsOfLooks(page)).toEqual([]);
  });
});

chapter('XMP files beside the originals', () => {
  step('are written only where an administrator wants it', async () => {
    const subject = getSubject('Folders of external libraries');
    const name = 'Write changes to XMP files beside the originals';
    const toggle = subject.getByRole('switch', { name });
    const isWanted = async () =>
      (await stage.api('GET', '/admin/config/safelight')).libraries.writeSidecars;
    await subject.getByText('Photos and videos themselves are never changed.').waitFor();
    expect([await toggle.isChecked(), await isWanted()]).toEqual([false, false]);
    for (const wanted of [true, false]) {
      await toggle.setChecked(wanted);
      await save('Folders of external libraries');
      await eventually(isWanted).toBe(wanted);
    }
    expect(await listFaultsOfLooks(page)).toEqual([]);
  });
});

chapter('a phone', () => {
  step('settings are changed on a phone', async () => {
    const phone = await onPhone(stage, visitor);
    await phone.page.goto('/admin/settings');
    await getSearch(phone.page).fill('deleted account');
    const days = phone.page.getByLabel('Days until a deleted account is removed', { exact: true });
    await days.fill('12');
    expect(await listFaults(phone.page)).toEqual([]);
    await save('Accounts and trash', phone.page);
    await until('it is saved', async () => (await readConfig()).user.deleteDelay === 12);
    await leavePhone(phone);
  });
});
