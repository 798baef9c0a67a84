import { afterAll, beforeAll, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { drop, photo, type Visitor, visit } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import { go, logIn, pictures, getPageWidth, viewerOpened } from './people.ts';
import { until } from './server.ts';
import { type EmptyStage, leavePhone, onPhone, openEmptyStage, TIMEOUT_MS } from './stage.ts';
import { journey } from '../support/journey.ts';

// One visitor walks through the page in a real browser.

const ADA = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'analytical engine' };

let stage: EmptyStage;
let ada: Visitor;
let page: Page;

beforeAll(async () => {
  stage = await openEmptyStage();
  ada = await visit(stage.browser, stage.server.url);
  ({ page } = ada);
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

const tiles = (of: Page) => of.locator('[data-part=tile-link]');
const uploadSummary = (of: Page) => of.locator('[data-part=uploads-head] p');
const focused = (of: Page) => of.evaluate(() => document.activeElement?.getAttribute('aria-label'));

const { step, chapter } = journey(
  'the first user of a server uploads, views and organises photos',
  TIMEOUT_MS,
);

chapter('the first visit', () => {
  step('tries again by itself while the server cannot be reached', async () => {
    const visitor = await visit(stage.browser, stage.server.url);
    await visitor.page.route('**/api/server/config', (route) => route.abort());
    await visitor.page.goto('/');
    await visitor.page.getByRole('heading', { name: 'No connection' }).waitFor();
    await visitor.page.unroute('**/api/server/config');
    await visitor.page.getByRole('heading', { name: 'Welcome to Safelight' }).waitFor();
    await visitor.context.close();
  });

  step('asks for the first account and explains invalid input', async () => {
    await page.goto('/');
    await page.getByRole('heading', { name: 'Welcome to Safelight' }).waitFor();
    await page.getByLabel('Name').fill(ADA.name);
    await page.getByLabel('E-mail').fill(ADA.email);
    await page.getByLabel('Password', { exact: true }).fill(ADA.password);
    await page.getByLabel('Password again').fill('something else');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('The two passwords are not the same.').waitFor();
    expect(await listFaults(page)).toEqual([]);
  });

  step('ends on an empty timeline, signed in', async () => {
    await page.getByLabel('Password again').fill(ADA.password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('button', { name: 'Do the rest later' }).click();
    await page.getByRole('heading', { name: 'No photos yet' }).waitFor();
    await page.waitForURL('/photos');
    expect(await listFaults(page)).toEqual([]);
  });
});

chapter('uploading', () => {
  step('chosen files appear by month, newest first, without a reload', async () => {
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles([
        await photo('july.jpg', '2024:07:14 15:32:10'),
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

  step('a file that is not a photo is refused with an explanation and can be retried', async () => {
    await drop(page, [
      { name: 'letter.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF') },
    ]);
    await page.getByText('This kind of file is not supported.').waitFor();
    await page.getByRole('button', { name: 'Try 1 file again' }).waitFor();
    await page.getByRole('button', { name: 'Close uploads' }).click();
  });
});

const july = () => photo('july.jpg', '2024:07:14 15:32:10');

chapter('the viewer', () => {
  step('opens on a click under an address of its own', async () => {
    await tiles(page).first().click();
    await viewerOpened(page);
    await page.locator('.yarl__slide_current img.yarl__slide_image').waitFor();
    await eventually(() => new URL(page.url()).pathname).toMatch(/^\/photos\/[0-9a-f-]{36}$/);
    expect(await listFaults(page)).toEqual([]);
  });

  step('the arrow keys continue beyond the end of a month', async () => {
    const first = page.url();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL((url) => url.href !== first);
    await page.keyboard.press('i');
    await page.getByText('march.jpg').waitFor();
    await page.getByText('Acme Camera One').waitFor();
    await page.getByText('1 March 2025').waitFor();
  });

  step('a description and a rating are saved', async () => {
    await page.getByLabel('Description').fill('Evening at the lake');
    await page.getByLabel('Description').blur();
    await page.getByRole('button', { name: 'Rate 4 of 5' }).click();
    await page.getByRole('group', { name: 'Rating: 4 of 5 stars' }).waitFor();
    await page.reload();
    await viewerOpened(page);
    await page.keyboard.press('i');
    await page.getByRole('group', { name: 'Rating: 4 of 5 stars' }).waitFor();
    await eventually(() => page.getByLabel('Description').inputValue()).toBe('Evening at the lake');
  });

  step('the full-size picture is loaded only when zoomed in', async () => {
    const full = page.waitForRequest((request) => request.url().includes('size=fullsize'));
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await full;
  });

  step('f toggles the favourite, and Escape returns to the same photo', async () => {
    await page.keyboard.press('f');
    await page.getByRole('button', { name: 'Remove from favourites' }).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL('**/photos');
    await page.waitForFunction(() => document.activeElement?.matches('[data-part=tile-link]'));
    await eventually(() => focused(page)).toBe('Photo, Sat, 1 March 2025, 18:00, favourite');
  });
});

chapter('the keyboard', () => {
  step('arrows, Home and End move through the timeline, and Enter opens a photo', async () => {
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction(() => document.activeElement?.ariaLabel?.includes('April 2025'));
    await page.keyboard.press('End');
    await page.waitForFunction(() => document.activeElement?.ariaLabel?.includes('May 2023'));
    await page.keyboard.press('Home');
    await page.waitForFunction(() => document.activeElement?.ariaLabel?.includes('April 2025'));
    await page.keyboard.press('Enter');
    await viewerOpened(page);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Photo viewer' }).waitFor({ state: 'detached' });
  });

  step('the scrubber is a slider that announces the month', async () => {
    const slider = page.getByRole('slider', { name: 'Date' });
    await eventually(() => slider.getAttribute('aria-valuetext')).toBe('April 2025');
  });
});

chapter('selection and albums', () => {
  step('the favourites page shows exactly the marked photos', async () => {
    await go(page, 'Favourites');
    await page.getByRole('heading', { name: 'March 2025' }).waitFor();
    await pictures(page, 1);
  });

  step('a range is selected with shift and added to a new album', async () => {
    await go(page, 'Photos');
    await pictures(page, 6);
    await page.getByRole('checkbox', { name: /Select Photo, Tue, 1 April 2025/ }).click();
    await tiles(page)
      .nth(2)
      .click({ modifiers: ['Shift'] });
    await page.getByText('3 items selected').waitFor();
    await page.getByRole('button', { name: 'Add to album' }).click();
    await page.getByLabel('Find an album, or name a new one').fill('Summer');
    await page.getByRole('button', { name: 'New album “Summer”' }).click();
    await page.getByText('3 items added to Summer').waitFor();
    await go(page, 'Albums');
    await page.getByRole('link', { name: /Summer/ }).click();
    await pictures(page, 3);
  });

  step('a photo removed from the album stays in the library', async () => {
    await page.getByRole('checkbox', { name: /Select Photo, Tue, 1 April 2025/ }).click();
    await page.getByRole('button', { name: 'Remove from this album' }).click();
    await page.waitForFunction(() => document.querySelectorAll('[data-part=tile]').length === 2);
    await page.getByText('2 items').first().waitFor();
    await go(page, 'Photos');
    await pictures(page, 6);
  });

  step('an archived photo moves from the timeline to the archive', async () => {
    await page.getByRole('checkbox', { name: /Select Photo, Tue, 2 May 2023/ }).click();
    await page.getByRole('button', { name: 'Archive', exact: true }).click();
    await page.waitForFunction(() => document.querySelectorAll('[data-part=tile]').length === 5);
    await go(page, 'Archive');
    await page.getByRole('heading', { name: 'May 2023' }).waitFor();
    await pictures(page, 1);
  });
});

chapter('finally', () => {
  step('on a phone no page scrolls sideways', async () => {
    const phone = await onPhone(stage, ada);
    await phone.page.goto('/photos');
    await pictures(phone.page, 5);
    await eventually(() => getPageWidth(phone.page)).toBe(390);
    await tiles(phone.page).first().tap();
    await phone.page.getByRole('dialog', { name: 'Photo viewer' }).waitFor();
    await leavePhone(phone);
  });

  step('logging out leads to the login page, which refuses a wrong password', async () => {
    await page.getByRole('banner').getByRole('button', { name: 'Log out' }).click();
    await page.getByText('You are logged out.').waitFor();
    // Up to here nothing went wrong, and nothing broke the security policy.
    expect(ada.problems).toEqual([]);
    await logIn(page, ADA.email, 'wrong');
    await page.getByRole('alert').filter({ hasText: /\w/ }).waitFor();
    await page.goto('/photos');
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await logIn(page, ADA.email, ADA.password);
    await pictures(page, 5);
  });
});
