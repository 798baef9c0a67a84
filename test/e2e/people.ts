import type { Page } from 'playwright-core';
import type { Json } from '../support/json.ts';
import type { Photo } from './browser.ts';
import { openSession, until } from './server.ts';

// Helpers shared by the page tests: a library made through the API, and browsers that log in.

export type Api = <T = Json>(method: string, path: string, body?: object) => Promise<T>;

/** Returns a client for the JSON API. It throws on an error status. */
export const createApi = (url: string, apiKey: string): Api =>
  createClient(url, async () => ({ 'x-api-key': apiKey }));

/** The same for what needs a recent login: it logs in for each request. */
export const createFreshApi = (url: string, account: Parameters<typeof openSession>[1]): Api =>
  createClient(url, () => openSession(url, account));

/** The same with the headers of `authorize`. */
export const createClient =
  (url: string, authorize: () => Promise<Record<string, string>>): Api =>
  async (method, path, body) => {
    const credential = await authorize();
    const response = await fetch(`${url}/api${path}`, {
      method,
      headers: { ...credential, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  };

/**
 * Creates an account that is no administrator, with the key of one. Its name begins with this one; no other account of
 * the server has it.
 */
export async function addUser(api: Api, name: string) {
  const mark = crypto.randomUUID();
  const account = {
    name: `${name} ${mark.slice(0, 8)}`,
    email: `${mark}@example.com`,
    password: 'bricks and mortar',
  };
  const body = { ...account, shouldChangePassword: false };
  const { id } = await api<{ id: string }>('POST', '/admin/users', body);
  return { ...account, id };
}

/** Uploads photos and waits until each has a thumbnail and its metadata. Returns their ids. */
export async function addPhotos(url: string, apiKey: string, photos: Photo[]): Promise<string[]> {
  const headers = { 'x-api-key': apiKey };
  const ids: string[] = [];
  for (const { name, buffer } of photos) {
    const form = new FormData();
    form.set('fileCreatedAt', '2024-01-01T12:00:00.000Z');
    form.set('fileModifiedAt', '2024-01-01T12:00:00.000Z');
    form.set('assetData', new File([new Uint8Array(buffer)], name), name);
    const response = await fetch(`${url}/api/assets`, { method: 'POST', headers, body: form });
    ids.push(((await response.json()) as { id: string }).id);
  }
  for (const id of ids) {
    await until(`the thumbnail of ${id}`, async () => {
      const response = await fetch(`${url}/api/assets/${id}/thumbnail`, { headers });
      await response.arrayBuffer();
      return response.ok;
    });
    // Its date, which a job of another lane reads: without it, a page shows the item at that of the upload.
    await until(`the metadata of ${id}`, async () => {
      const response = await fetch(`${url}/api/assets/${id}`, { headers });
      const { exifInfo } = (await response.json()) as { exifInfo?: { exifImageWidth?: number } };
      return typeof exifInfo?.exifImageWidth === 'number';
    });
  }
  return ids;
}

export async function logIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
}

export const PHONE = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
} as const;

/** Waits until the grid has exactly this number of loaded pictures. */
export const pictures = (of: Page, count: number) =>
  of.waitForFunction(
    (wanted) =>
      document.querySelectorAll('[data-part=tile] img[data-loaded]').length === wanted &&
      document.querySelectorAll('[data-part=tile]').length === wanted,
    count,
  );

const TOOLS = ['Links', 'Duplicates', 'Failed files', 'Workflows', 'Studio', 'Move in'];

/** Opens a page by its link; those of the tools are in a group that is folded at first. */
export async function go(to: Page, name: string): Promise<void> {
  const link = to.getByRole('link', { name, exact: true }).first();
  if (TOOLS.includes(name)) {
    const tools = to.getByRole('button', { name: 'Tools', expanded: false });
    await link.or(tools).first().waitFor();
    if (!(await link.isVisible())) await tools.click();
  }
  await link.click();
}

export async function logOut(on: Page): Promise<void> {
  await press(on, 'Account');
  await on.getByRole('menuitem', { name: 'Log out' }).click();
}

/** Pages of the group that is folded at first. */
const ADVANCED = ['Integrity', 'Deduplication', 'Nodes', 'Log'];

/** Opens a page of the administration by its bar. */
export async function goToAdmin(to: Page, name: string): Promise<void> {
  if (!new URL(to.url()).pathname.startsWith('/admin/')) await go(to, 'Administration');
  if (ADVANCED.includes(name)) {
    const group = to.getByRole('button', { name: 'Advanced', exact: true });
    if ((await group.getAttribute('aria-expanded')) === 'false') await group.click();
  }
  await go(to, name);
}

/** Selects the photo of a day, such as '3 May 2024', by its check mark. */
export const choose = (on: Page, day: string) =>
  on.getByRole('checkbox', { name: new RegExp(`Select Photo, .*\\b${day},`) }).click();

export const press = (on: Page, name: string) =>
  on.getByRole('button', { name, exact: true }).click();

/** Chooses an action of the menu “More actions”. */
export async function pressMore(on: Page, name: string): Promise<void> {
  await press(on, 'More actions');
  await on.getByRole('menuitem', { name, exact: true }).click();
}

export const toast = (on: Page, text: string) =>
  on.locator('[data-part=toast]', { hasText: text }).waitFor();

/** Hovers over the toast, which keeps it open on a slow machine. */
export const holdToast = (on: Page, text: string) =>
  on.locator('[data-part=toast]', { hasText: text }).hover();

/** Presses Undo on the toast with this text, not on another one that is still open. */
export const undo = (on: Page, text: string) =>
  on.locator('[data-part=toast]', { hasText: text }).getByRole('button', { name: 'Undo' }).click();

/** Waits until the viewer is open and takes keys. */
export async function viewerOpened(on: Page): Promise<void> {
  await on.getByRole('dialog', { name: 'Photo viewer' }).waitFor();
  await on.waitForFunction(() => document.activeElement?.closest('.yarl__root'));
}

export const getDialog = (page: Page) => page.getByRole('dialog');

/** Returns the width of the page in px; a page wider than the window scrolls sideways. */
export const getPageWidth = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth);

/** Touches the element until a long press is recognised. */
export async function longPress(on: Page, selector: string): Promise<void> {
  const box = (await on.locator(selector).first().boundingBox())!;
  const devtools = await on.context().newCDPSession(on);
  const touchPoints = [{ x: box.x + box.width / 2, y: box.y + box.height / 2 }];
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints });
  await on.locator('[data-part=tile][data-chosen]').first().waitFor();
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await devtools.detach();
}
