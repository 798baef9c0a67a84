import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { drop, photo, type Visitor, visit } from './browser.ts';
import { listFaults } from './faults.ts';
import { logIn, logOut, pictures } from './people.ts';
import { until } from './server.ts';
import {
  type EmptyStage,
  enter,
  openEmptyStage,
  openStage,
  type Stage,
  TIMEOUT_MS,
} from './stage.ts';
import { routeUntil } from './routes.ts';
import { journey } from '../support/journey.ts';

// The first user of a server in a real browser.

const ADA = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'analytical engine' };

let ada: Visitor;
let page: Page;

afterEach(() => expect(ada.problems).toEqual([]));

const july = () => photo('july.jpg', '2024:07:14 15:32:10');
const uploadSummary = (of: Page) => of.locator('[data-part=uploads-head] p');

const { step, chapter } = journey('the first user of a server logs in and uploads', TIMEOUT_MS);

chapter('the first visit', () => {
  // The server asks for its first account.
  let empty: EmptyStage;
  beforeEach(async () => {
    empty = await openEmptyStage();
    ada = await visit(empty.browser, empty.server.url);
    ({ page } = ada);
  }, TIMEOUT_MS);
  afterEach(() => empty?.close(), TIMEOUT_MS);

  step('tries again by itself while the server cannot be reached', async () => {
    const end = await routeUntil(page, '**/api/server/config', (route) => route.abort());
    await page.goto('/');
    await page.getByRole('heading', { name: 'No connection' }).waitFor();
    end();
    await page.getByRole('heading', { name: 'Welcome to Safelight' }).waitFor();
    // Refused on purpose: the requests of the configuration.
    ada.problems.length = 0;
  });

  step('asks for the first account and explains invalid input', async () => {
    await page.goto('/');
    await page.getByRole('heading', { name: 'Welcome to Safelight' }).waitFor();
    await page.getByLabel('Name').fill(ADA.name);
    await page.getByLabel('Email').fill(ADA.email);
    await page.getByLabel('Password', { exact: true }).fill(ADA.password);
    await page.getByLabel('Password again').fill('something else');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('The two passwords are not the same.').waitFor();
    expect(await listFaults(page)).toEqual([]);
  });

  step('ends on an empty timeline, signed in', async () => {
    await page.getByLabel('Password again').fill(ADA.password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('button', { name: 'Skip' }).click();
    await page.getByRole('heading', { name: 'No photos yet' }).waitFor();
    await page.waitForURL('/photos');
    expect(await listFaults(page)).toEqual([]);
  });
});

chapter('uploading', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await openStage();
    ada = await enter(stage);
    ({ page } = ada);
  }, TIMEOUT_MS);
  afterEach(() => stage?.close(), TIMEOUT_MS);

  step('chosen files appear by month, newest first, without a reload', async () => {
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles([
        await july(),
        await photo('may.jpg', '2023:05:02 09:00:00', 600, 800),
        await photo('also july.jpg', '2024:07:20 11:00:00'),
      ]);
    // Until its date has been read, a photo stands under today's month.
    const months = () => page.locator('[data-part=month] h2').allTextContents();
    await until('two months', async () => (await months()).join() === 'July 2024,May 2023');
    await pictures(page, 3);
    await uploadSummary(page).getByText('3 files uploaded', { exact: true }).waitFor();
  });

  step('dropped files are uploaded too', async () => {
    await drop(page, [
      await photo('march.jpg', '2025:03:01 18:00:00'),
      await photo('april.jpg', '2025:04:01 18:00:00', 1200, 500),
    ]);
    await page.getByRole('heading', { name: 'April 2025' }).waitFor();
    await pictures(page, 5);
  });

  step('a duplicate is reported and not sent again', async () => {
    await page.getByRole('button', { name: 'Close uploads' }).click();
    const sent: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (request.method() === 'PATCH' && pathname.startsWith('/api/assets/uploads/')) {
        sent.push(pathname);
      }
    });
    await drop(page, [await photo('copy of july.jpg', '2024:07:14 15:32:10'), await july()]);
    await page.getByText('Already in your library').waitFor();
    await page.getByText('1 file uploaded, 1 duplicate not uploaded again').waitFor();
    expect(sent).toHaveLength(1);
    await page.getByRole('button', { name: 'Close uploads' }).click();
    await pictures(page, 6);
  });

  step(
    'a file that is not a photo is refused with an explanation, and is not offered to be tried again',
    async () => {
      await drop(page, [
        { name: 'letter.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF') },
      ]);
      await page.getByText('This kind of file is not supported.').waitFor();
      await page.getByText('1 failed').waitFor();
      expect(await page.getByRole('button', { name: 'Try 1 file again' }).count()).toBe(0);
      await page.getByRole('button', { name: 'Close uploads' }).click();
    },
  );
});

chapter('logging out and in', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await openStage();
    await stage.add([july()]);
    ada = await enter(stage);
    ({ page } = ada);
    await pictures(page, 1);
  }, TIMEOUT_MS);
  afterEach(() => stage?.close(), TIMEOUT_MS);

  step('logging out leads to the login page, which refuses a wrong password', async () => {
    const { email, password } = stage.account;
    await logOut(page);
    await page.getByText('You are logged out.').waitFor();
    // Up to here nothing went wrong, and nothing broke the security policy.
    expect(ada.problems).toEqual([]);
    await logIn(page, email, 'wrong');
    await page.getByRole('alert').filter({ hasText: /\w/ }).waitFor();
    await page.goto('/photos');
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await logIn(page, email, password);
    await pictures(page, 1);
    // Refused on purpose: the wrong password.
    ada.problems.length = 0;
  });
});
