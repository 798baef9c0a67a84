import { afterAll, afterEach, beforeAll, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { photo, type Visitor } from './browser.ts';
import { follow } from './every-page.ts';
import { eventually } from './eventually.ts';
import { listFaults, SIZES } from './faults.ts';
import { getDialog, press, viewerOpened } from './people.ts';
import { daysOfMay, enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { journey } from '../support/journey.ts';

// Surfaces that float above the page: no bar, panel or toast lies on the controls of another.

let stage: Stage;
let ada: Visitor;
let page: Page;
let album: string;

beforeAll(async () => {
  stage = await openStage();
  await stage.add(daysOfMay(9));
  const { id } = await stage.api('POST', '/albums', { albumName: 'Lakes' });
  album = `/albums/${id}`;
  await stage.api('PUT', '/users/me/preferences', { notifications: { newLogin: false } });
  for (const title of ['The server moves on Sunday', 'It has moved']) {
    await stage.api('POST', '/admin/notifications', { userId: stage.account.id, title });
  }
  ada = await enter(stage, { reducedMotion: 'reduce', hasTouch: true });
  ({ page } = ada);
}, TIMEOUT_MS);

afterAll(async () => {
  await stage?.close();
  // Requests that failed on purpose are in the console.
  const expected = /net::ERR_INTERNET_DISCONNECTED|WebSocket|assets\/uploads/;
  expect(ada.problems.filter((text) => !expected.test(text))).toEqual([]);
}, TIMEOUT_MS);

/** Every control of every bar. */
const CONTROLS = `[data-part=toast] button, [data-part=uploads] button, [data-part=selection-bar] button,
  [role=menuitem], .side a, .side button, dialog[open] button, dialog[open] a, .page-actions button,
  .view-actions button, [data-part=filter-bar] :is(button, select), .yarl__toolbar button,
  .yarl__navigation_prev, .yarl__navigation_next, [aria-label='Interrupted uploads'] button`;

/** Returns the controls that a finger does not reach at their centre or beside it. */
const listCovered = (selector = CONTROLS): Promise<string[]> =>
  page.evaluate((wanted) => {
    const isReached = (control: Element): boolean => {
      control.scrollIntoView({ block: 'nearest', inline: 'nearest' });
      const { x, y, width, height } = control.getBoundingClientRect();
      return [
        [0.5, 0.5],
        [0.3, 0.5],
        [0.7, 0.5],
        [0.5, 0.3],
        [0.5, 0.7],
      ].every(([right, down]) =>
        control.contains(document.elementFromPoint(x + width * right!, y + height * down!)),
      );
    };
    // An open panel covers all but these.
    const isDialogOpen = document.querySelector('dialog[open]') !== null;
    const isViewerOpen = document.querySelector('.yarl__portal') !== null;
    const open = isDialogOpen ? 'dialog' : '.yarl__portal, [role=menu], [data-part=toast]';
    // A menu that is open lies over the panel, until something is chosen.
    const menu = document.querySelector('[role=menu]');
    return [...document.querySelectorAll(wanted)]
      .filter((control) => control.checkVisibility({ visibilityProperty: true }))
      .filter((control) => !(isDialogOpen || isViewerOpen) || control.closest(open))
      .filter((control) => !menu || !control.closest('[data-part=uploads]'))
      .filter((control) => !isReached(control))
      .map((control) => control.getAttribute('aria-label') ?? control.textContent ?? '');
  }, selector);

const panel = () => page.locator('[data-part=uploads]');
const undoButton = () => page.locator('[data-part=toast]').getByRole('button', { name: 'Undo' });

/** Selects without a touch: the toast keeps its focus, and stays for that. */
const select = (day: string) =>
  page
    .getByRole('checkbox', { name: new RegExp(`Select Photo, \\w+, ${day},`) })
    .dispatchEvent('click');

/** The bar of the selection is drawn a frame after its photo is chosen, or later. */
const barShown = async () => {
  await page.locator('[data-part=tile][data-chosen]').waitFor();
  await page.getByRole('button', { name: 'Clear selection' }).waitFor();
};

const { step, chapter } = journey('nothing covers the controls of another', TIMEOUT_MS);

chapter('with the uploads open', () => {
  step('the panel has files to try again', async () => {
    const files = Array.from({ length: 9 }, (_, at) => ({
      name: `fog-${at}.jpg`,
      mimeType: 'image/jpeg',
      buffer: Buffer.from(`fog ${at}`),
    }));
    // As when the session has ended meanwhile: then they can be sent after the next login.
    await page.route('**/api/assets/uploads', (route) => {
      const about = route.request().headers()['asset-metadata'] ?? '';
      const isFog = Buffer.from(about, 'base64url').toString().includes('fog-');
      return isFog ? route.fulfill({ status: 401, json: {} }) : route.fallback();
    });
    const lake = await photo('lake.jpg', '2024:07:14 12:00:00');
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles([...files, lake]);
    await panel().getByText('1 file uploaded, 9 failed').waitFor();
    await panel().getByRole('button', { name: 'Try 9 files again' }).waitFor();
  });

  for (const size of SIZES) {
    step(
      `${size.width}×${size.height}: panel, toast, selection, its menu and navigation`,
      async () => {
        await page.setViewportSize(size);
        await follow(page, '/photos');
        await select('9 May 2024');
        await barShown();
        await eventually(listCovered).toEqual([]);
        const archive = page
          .locator('[data-part=selection-bar]')
          .getByRole('button', { name: 'Move to the archive', exact: true });
        if (await archive.isVisible()) await archive.click();
        else {
          await press(page, 'More actions');
          await eventually(listCovered).toEqual([]);
          await page.getByRole('menuitem', { name: 'Move to the archive' }).click();
        }
        await undoButton().focus();
        await select('8 May 2024');
        await barShown();
        await eventually(listCovered).toEqual([]);
        expect(await undoButton().isVisible()).toBe(true);
        await undoButton().dispatchEvent('click');
        await press(page, 'Clear selection');
      },
    );

    step(`${size.width}×${size.height}: dialogs`, async () => {
      const isReachable = async () => {
        await getDialog(page).waitFor();
        await eventually(listCovered).toEqual([]);
        expect(await listFaults(page)).toEqual([]);
        await page.keyboard.press('Escape');
        await eventually(() => getDialog(page).count()).toBe(0);
      };
      if (size.width === 390) {
        await press(page, 'More');
        await isReachable();
      }
      await follow(page, album);
      await press(page, 'Share album');
      await isReachable();
      await press(page, 'Album actions');
      await page.getByRole('menuitem', { name: 'Delete album' }).click();
      await isReachable();
    });
  }
});

chapter('panels and bars', () => {
  afterEach(async () => {
    await page.evaluate(() => localStorage.clear());
    await page.goto('/photos');
  });

  for (const size of SIZES) {
    const name = `${size.width}×${size.height}`;

    step(`${name}: the filters, interrupted uploads and a toast`, async () => {
      await page.setViewportSize(size);
      await page.goto('/photos');
      await page.evaluate(leaveUploads, stage.account.id);
      await page.reload();
      await page.getByText('7 uploads interrupted').waitFor();
      await press(page, 'Filters');
      await page.locator('[data-part=filter-bar]').waitFor();
      await eventually(listCovered).toEqual([]);
      await select('7 May 2024');
      await barShown();
      await eventually(listCovered).toEqual([]);
      expect(await listFaults(page)).toEqual([]);
      await press(page, 'Clear selection');
      await press(page, 'Remove the filters');
    });

    step(`${name}: the viewer, its menu and a toast`, async () => {
      await page.locator('[data-part=tile] a').nth(1).click();
      await viewerOpened(page);
      await eventually(listCovered).toEqual([]);
      await press(page, 'More actions');
      await page.getByRole('menuitem').first().waitFor();
      await eventually(listCovered).toEqual([]);
      const entry = page.getByRole('menuitem', { name: 'Move to the archive' });
      if ((await entry.count()) > 0) await entry.click();
      else {
        await page.keyboard.press('Escape');
        await eventually(() => page.getByRole('menu').count()).toBe(0);
        await press(page, 'Move to the archive');
      }
      await undoButton().waitFor();
      await undoButton().focus();
      await eventually(listCovered).toEqual([]);
      await undoButton().dispatchEvent('click');
      await page.keyboard.press('Escape');
      await eventually(() => getDialog(page).count()).toBe(0);
    });

    step(`${name}: the notifications`, async () => {
      if (size !== SIZES[0]) await press(page, 'More');
      await page.getByRole('button', { name: 'Notifications, 2 unread' }).click();
      await getDialog(page).getByText('The server moves on Sunday').waitFor();
      await eventually(listCovered).toEqual([]);
      expect(await listFaults(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await eventually(() => getDialog(page).count()).toBe(0);
    });
  }
});

/** Remembers uploads of a page that was closed. Runs in the page. */
function leaveUploads(userId: string): void {
  for (let at = 0; at < 7; at++) {
    const [sha256, id] = [`${at}`, crypto.randomUUID()];
    const upload = { sha256, id, userId, name: `film-${at}.mp4`, size: 1e9, at: Date.now() };
    localStorage.setItem(`safelight.upload.${userId}.${sha256}`, JSON.stringify(upload));
  }
}

chapter('without a connection', () => {
  step(
    'one line says so, and pictures of the viewer come when the server answers again',
    async () => {
      await page.setViewportSize(SIZES[0]);
      await page.goto('/photos');
      await page.locator('[data-part=tile] img[data-loaded]').first().waitFor();
      await page.locator('[data-part=tile] a').first().click();
      await viewerOpened(page);
      await ada.context.setOffline(true);
      await page.locator('[data-part=offline]').waitFor();
      for (let at = 0; at < 3; at++) await page.keyboard.press('ArrowRight');
      const note = page.getByText('Offline: the picture appears when the server answers again.');
      await note.first().waitFor({ state: 'attached' });
      expect(await page.locator('[data-part=toast]').count()).toBe(0);
      expect(await listFaults(page)).toEqual([]);
      await ada.context.setOffline(false);
      await eventually(() => note.count()).toBe(0);
      await eventually(() => page.locator('[data-part=offline]').count()).toBe(0);
      await page.keyboard.press('Escape');
      await eventually(() => getDialog(page).count()).toBe(0);
    },
  );
});
