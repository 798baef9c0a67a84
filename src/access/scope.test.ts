import { beforeAll, expect, test } from 'bun:test';
import { useDatabase } from '../../test/support/database.ts';
import { createCtx, seed, createSession } from '../../test/support/harness.ts';
import {
  albumAssets,
  albums,
  albumUsers,
  sharedLinkAssets,
  sharedLinks,
} from '../db/tables/albums.ts';
import { ASSET_SCOPES, visibleAssets } from './scope.ts';
import type { Session } from './session.ts';

// The whole rule as one table: rows are states of an asset, columns are lenses, a letter means that
// the session sees it. A new state, lens or kind of session is a new row, column or table here.
const STATES = {
  plain: {},
  archived: { visibility: 'archive' },
  hidden: { visibility: 'hidden' },
  locked: { lockedAt: new Date() },
  trashed: { trashedAt: new Date() },
  lockedTrash: { lockedAt: new Date(), trashedAt: new Date() },
  lockedArchive: { lockedAt: new Date(), visibility: 'archive' },
  /** The video half of a live photo whose still is plain. */
  liveVideo: { visibility: 'hidden' },
} as const;
type State = keyof typeof STATES;

const NOTHING: Record<State, string> = {
  plain: /*         */ '- - - - - -',
  archived: /*      */ '- - - - - -',
  hidden: /*        */ '- - - - - -',
  locked: /*        */ '- - - - - -',
  trashed: /*       */ '- - - - - -',
  lockedTrash: /*   */ '- - - - - -',
  lockedArchive: /* */ '- - - - - -',
  liveVideo: /*     */ '- - - - - -',
};

const TABLES: Record<string, Record<State, string>> = {
  //                       any timeline library archive locked trash
  owner: {
    ...NOTHING,
    plain: /*         */ 'x x x - - -',
    archived: /*      */ 'x - x x - -',
    hidden: /*        */ 'x - - - - -',
    trashed: /*       */ 'x - - - - x',
    liveVideo: /*     */ 'x - - - - -',
  },
  unlocked: {
    ...NOTHING,
    plain: /*         */ 'x x x - - -',
    archived: /*      */ 'x - x x - -',
    hidden: /*        */ 'x - - - - -',
    locked: /*        */ 'x - - - x -',
    trashed: /*       */ 'x - - - - x',
    lockedTrash: /*   */ 'x - - - - x',
    lockedArchive: /* */ 'x - - - x -',
    liveVideo: /*     */ 'x - - - - -',
  },
  partner: {
    ...NOTHING,
    plain: /*         */ 'x x x - - -',
    liveVideo: /*     */ 'x - - - - -',
  },
  'member of an album with all of it': {
    ...NOTHING,
    plain: /*         */ 'x - - - - -',
    archived: /*      */ 'x - - - - -',
    hidden: /*        */ 'x - - - - -',
    liveVideo: /*     */ 'x - - - - -',
  },
  'link with all of it': {
    ...NOTHING,
    plain: /*         */ 'x x x - - -',
    archived: /*      */ 'x - x x - -',
    hidden: /*        */ 'x - - - - -',
    liveVideo: /*     */ 'x - - - - -',
  },
  'link to the album': {
    ...NOTHING,
    plain: /*         */ 'x x x - - -',
    archived: /*      */ 'x - x x - -',
    hidden: /*        */ 'x - - - - -',
    liveVideo: /*     */ 'x - - - - -',
  },
  'link to nothing': NOTHING,
  'stranger, administrator, unlocked': NOTHING,
  /** Everything is of the day that a rule names: reached by its id, in no listing. */
  'owner who wants to see none of it': {
    plain: /*         */ 'x - - - - -',
    archived: /*      */ 'x - - - - -',
    hidden: /*        */ 'x - - - - -',
    locked: /*        */ 'x - - - - -',
    trashed: /*       */ 'x - - - - -',
    lockedTrash: /*   */ 'x - - - - -',
    lockedArchive: /* */ 'x - - - - -',
    liveVideo: /*     */ 'x - - - - -',
  },
  'partner who wants to see none of it': {
    ...NOTHING,
    plain: /*         */ 'x - - - - -',
    liveVideo: /*     */ 'x - - - - -',
  },
};

const database = await useDatabase();
const ids = {} as Record<State, string>;
const sessions = {} as Record<string, Session>;

beforeAll(async () => {
  const { db } = database;
  const add = seed(database);
  const [owner, partner, member, stranger] = [
    await add.user(),
    await add.user(),
    await add.user(),
    await add.user(),
  ];
  for (const state of Object.keys(STATES) as State[]) {
    if (state !== 'plain') ids[state] = await add.asset({ ownerId: owner.id, ...STATES[state] });
  }
  ids.plain = await add.asset({ ownerId: owner.id, liveVideoId: ids.liveVideo });
  // Nobody adds the video half by hand: it follows its still.
  const members = Object.values(ids).filter((id) => id !== ids.liveVideo);

  const [album] = await db.insert(albums).values({ ownerId: owner.id, name: 'a' }).returning();
  const albumId = album!.id;
  await db.insert(albumUsers).values({ albumId, userId: member.id, role: 'viewer' });
  await db.insert(albumAssets).values(members.map((assetId) => ({ albumId, assetId })));

  const link = async (values: { albumId?: string }, assetIds: string[]): Promise<Session> => {
    const type = values.albumId ? 'ALBUM' : 'INDIVIDUAL';
    const key = crypto.getRandomValues(new Uint8Array(50));
    const [row] = await db
      .insert(sharedLinks)
      .values({ ownerId: owner.id, type, key, ...values })
      .returning();
    const linkId = row!.id;
    for (const assetId of assetIds) await db.insert(sharedLinkAssets).values({ linkId, assetId });
    return {
      kind: 'sharedLink',
      linkId,
      ownerId: owner.id,
      sharers: [],
      placelessSharers: [],
      partialSharers: [],
      albumId: values.albumId,
      allowUpload: true,
      allowDownload: true,
      showMetadata: true,
      hidesPlaces: false,
    };
  };

  const admin = { isAdmin: true, unlocked: true };
  const contentRules = [{ kind: 'date', date: '01-02' }] as const;
  Object.assign(sessions, {
    owner: createSession(owner.id),
    unlocked: createSession(owner.id, { unlocked: true }),
    partner: createSession(partner.id, { unlocked: true, sharers: [owner.id] }),
    'member of an album with all of it': createSession(member.id, { unlocked: true }),
    'link with all of it': await link({}, members),
    'link to the album': await link({ albumId }, []),
    'link to nothing': await link({}, []),
    'stranger, administrator, unlocked': createSession(stranger.id, admin),
    'owner who wants to see none of it': createSession(owner.id, { unlocked: true, contentRules }),
    'partner who wants to see none of it': createSession(partner.id, {
      sharers: [owner.id],
      contentRules,
    }),
  });
});

for (const [who, table] of Object.entries(TABLES)) {
  test(`what ${who} may see`, async () => {
    const { db, session } = createCtx(database, sessions[who]!);
    const sharers = session.kind === 'user' ? session.sharers : [];
    const seen = await Promise.all(
      ASSET_SCOPES.map(async (lens) => {
        const asset = visibleAssets(db, session, lens, { sharers });
        const rows = await db.select({ id: asset.id }).from(asset);
        return new Set(rows.map((row) => row.id));
      }),
    );
    const actual = Object.fromEntries(
      Object.entries(ids).map(([state, id]) => [
        state,
        seen.map((set) => (set.has(id) ? 'x' : '-')).join(' '),
      ]),
    );
    expect(actual).toEqual(table);
  });
}

test('a listing leaves partners out unless it asks for them', async () => {
  const { db, session } = createCtx(database, sessions['partner']!);
  const asset = visibleAssets(db, session, 'timeline');
  expect(await db.select({ id: asset.id }).from(asset)).toEqual([]);
});
