import type { Page, Request } from 'playwright-core';
import { addFace } from './faces.ts';
import { createFilm, toClip } from './film-editor.ts';
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
  const slug = `japan-${crypto.randomUUID()}`;
  const link = { type: 'ALBUM', albumId: album.id, slug };
  await api('POST', '/shared-links', link);
  await api('PUT', '/assets', { ids: [ids[2]], visibility: 'archive', isFavorite: true });
  await api('DELETE', '/assets', { ids: [ids[3]] });
  const person = await api('POST', '/people', { name: 'Benjamin Long-Lastname' });
  await addFace(api, { assetId: ids[4]!, personId: person.id, x: 100 });
  const film = await createFilm(stage, 'Holiday', { clips: [toClip(ids[0]!, 0)] });
  const more = `explore memories people people/${person.id} documents favorites albums albums/${album.id} tags
    tags/${tag.id} links sharing archive locked trash backup settings search?q=2024 admin/jobs admin/mail admin/models admin/users
    missing/date missing/place failed move-in pets folders duplicates workflows studio studio/${film} admin/backups admin/integrity admin/libraries
    admin/deduplication admin/statistics admin/health admin/storage admin/log admin/nodes large raw-pairs admin/settings admin/about help help/backup s/${slug}`;
  return ['/photos', `/photos/${ids[0]}`, ...more.split(/\s+/).map((path) => `/${path}`)];
}

/** Goes there as links do, without another load. The page of guests has no links to it. */
export const follow = (page: Page, path: string) =>
  path.startsWith('/s/')
    ? page.goto(path)
    : page.evaluate((to) => history.pushState(null, '', to), path);

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
      await page.evaluate(() => new Promise((idle) => requestIdleCallback(idle)));
      // Twice in a row: what has arrived may lead to another request.
      const isQuiet = pending.size === 0 && begun === seen;
      seen = pending.size === 0 ? begun : -1;
      return isQuiet;
    });
  };
}
