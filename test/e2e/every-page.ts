import type { Page, Request } from 'playwright-core';
import { addMemory } from '../support/memories.ts';
import { saveRecognizedText } from '../support/recognized-text.ts';
import { core } from '../support/workflows.ts';
import { addFace } from './faces.ts';
import { createFilm, toClip } from './film-editor.ts';
import { addUser, createFreshApi } from './people.ts';
import { addPets } from './pets.ts';
import { until } from './server.ts';
import { daysOfMay, type Stage } from './stage.ts';

/** Gives the account something to show on every page. Returns the paths of all pages. */
export async function furnish(stage: Stage): Promise<string[]> {
  const { api } = stage;
  const ids = await stage.add(daysOfMay(6));
  const albumName = 'A long name of an album that does not fit into any line beside the pictures';
  const album = await api('POST', '/albums', { albumName, assetIds: ids.slice(0, 2) });
  const [tag] = await api('PUT', '/tags', { tags: ['Travel/Japan/Kyoto'] });
  await api('PUT', `/tags/${tag.id}/assets`, { ids: ids.slice(0, 2) });
  const slug = await addLinks(stage, album.id);
  await api('PUT', '/assets', { ids: [ids[2]], visibility: 'archive', isFavorite: true });
  await api('DELETE', '/assets', { ids: [ids[3]] });
  await api('PUT', '/assets', { ids: [ids[1]], latitude: 48.8566, longitude: 2.3522 });
  const person = await api('POST', '/people', { name: 'Benjamin Long-Lastname' });
  await addFace(api, { assetId: ids[4]!, personId: person.id, x: 100 });
  await api('POST', '/people', { name: 'Hidden Person', isHidden: true });
  const film = await createFilm(stage, 'Holiday', { clips: [toClip(ids[0]!, 0)] });
  const { pet, memory, workflow, partner } = await addOthers(stage, ids);
  const more = `explore memories memories/${memory} map people people/${person.id} documents documents/${ids[0]}
    favorites albums albums/${album.id} tags tags/${tag.id} links sharing sharing/${partner} archive locked trash
    backup settings search?q=2024 missing/date missing/place failed move-in pets pets/${pet} folders duplicates
    workflows workflows/new workflows/${workflow} workflows/${workflow}/log studio studio/${film} large raw-pairs
    admin/jobs admin/mail admin/models admin/users admin/backups admin/integrity admin/libraries
    admin/deduplication admin/statistics admin/health admin/storage admin/log admin/nodes admin/settings admin/about
    setup/language setup/folder setup/phone setup/mail setup/backups help help/backup s/${slug}`;
  return ['/photos', `/photos/${ids[0]}`, ...more.split(/\s+/).map((path) => `/${path}`)];
}

/** Shares the album by a link, and by one that has expired. Returns the end of the first one's address. */
async function addLinks({ api }: Stage, albumId: string): Promise<string> {
  const slug = `japan-${crypto.randomUUID()}`;
  await api('POST', '/shared-links', { type: 'ALBUM', albumId, slug });
  const expiresAt = '2020-01-01T00:00:00Z';
  await api('POST', '/shared-links', { type: 'ALBUM', albumId, expiresAt, description: 'Expired' });
  return slug;
}

/** Adds what models, jobs and other accounts make. Returns the ids. */
async function addOthers(stage: Stage, ids: readonly string[]) {
  const { api, database, server, account } = stage;
  await addPets(stage, ids[4]!, 0.9, ['dog', 0.1]);
  const [pet] = await api('GET', '/pets');
  const lines = ['Corner Bakery Ltd', 'Invoice', 'Date: 2024-03-05', 'TOTAL 42.50 EUR'];
  await saveRecognizedText(database, { assetId: ids[0]!, ownerId: account.id }, lines);
  const createdAt = new Date();
  const values = { ownerId: account.id, name: 'Spring walk', createdAt };
  const memory = await addMemory(database, values, ids.slice(0, 2));
  const steps = [core('assetFavorite')];
  const rule = { trigger: 'AssetTagged', name: 'Hearts', logging: true, steps };
  const workflow = await api('POST', '/workflows', rule);
  const partner = await addUser(api, 'Bob');
  await createFreshApi(server.url, partner)('POST', '/partners', { sharedWithId: account.id });
  return { pet: pet.id, memory, workflow: workflow.id, partner: partner.id };
}

/** Shows every page, and calls `look` when it is loaded. */
export async function walk(
  page: Page,
  paths: readonly string[],
  look: (path: string) => Promise<void>,
): Promise<void> {
  const loaded = watchLoading(page);
  for (const path of paths) {
    await follow(page, path);
    await page.locator('h1').first().waitFor({ state: 'attached' });
    await loaded();
    await look(path);
  }
}

/** Goes there as links do, without another load. The page of guests has no links to it. */
export const follow = (page: Page, path: string) =>
  path.startsWith('/s/')
    ? page.goto(path)
    : page.evaluate((to) => history.pushState(null, '', to), path);

const MAX_IDLE_WAIT_MS = 1000;

/** Returns a function that waits until no request of the page is pending and it is rendered. */
export function watchLoading(page: Page): () => Promise<unknown> {
  const pending = new Set<Request>();
  let begun = 0;
  page.on('request', (request) => {
    begun++;
    pending.add(request);
  });
  page.on('requestfinished', (request) => pending.delete(request));
  page.on('requestfailed', (request) => pending.delete(request));
  return () => {
    let seen = -1;
    return until('an end of loading', async () => {
      // The browser may have no idle time where nothing is drawn.
      await page.evaluate(
        (timeout) => new Promise((idle) => requestIdleCallback(idle, { timeout })),
        MAX_IDLE_WAIT_MS,
      );
      // Twice in a row: what has arrived may lead to another request.
      const isQuiet = pending.size === 0 && begun === seen;
      seen = pending.size === 0 ? begun : -1;
      return isQuiet;
    });
  };
}
