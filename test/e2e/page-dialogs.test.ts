import { afterAll, beforeAll, expect, test } from 'bun:test';
import { furnish } from './every-page.ts';
import { look } from './layer-looks.ts';
import { EMPTY_ENTRIES, listEntries } from './layer-entries.ts';
import { createFreshApi } from './people.ts';
import { openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import type { Entry } from './layers.ts';

// Every dialog and menu in the sizes of a desktop and of a phone, upright and on its side, in English and German: in a
// quick run, each in one of the two languages.

let stage: Stage;
let entries: Entry[];

beforeAll(async () => {
  stage = await openStage();
  const paths = await furnish(stage);
  const album = paths.find((path) => path.startsWith('/albums/'))!;
  const pins = [{ kind: 'album', targetId: album.split('/').at(-1) }];
  const api = createFreshApi(stage.server.url, stage.account);
  await api('PUT', '/users/me/pins', { expectedRevision: 0, pins });
  entries = listEntries(paths);
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

test(
  'every dialog and menu is laid out well in every size, in light and dark',
  async () => {
    expect(await look(stage, entries)).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  'what a page shows to an account without anything is laid out well, too',
  async () => {
    const empty = await openStage();
    expect(await look(empty, EMPTY_ENTRIES)).toEqual([]);
  },
  TIMEOUT_MS,
);
