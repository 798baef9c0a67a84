import type { SQL } from 'drizzle-orm';
import type { CopyOwner } from '../../access/copies.ts';
import type { Source } from './page.store.ts';
import { type Entities, GONE } from './rows.store.ts';
import * as sources from './sources.store.ts';
import type { EntityType, RequestType } from './types.ts';

/** Whose log is read: 'home' is the account and the albums that it may open. */
export type ScopeName = 'own' | 'everybody' | 'partners' | 'albums' | 'home';

export type Reading = {
  readonly type: EntityType;
  readonly entity: keyof Entities;
  readonly scopes: ScopeName;
  readonly kinds: readonly string[];
};

export type Removal = Reading & {
  readonly data: SQL;
  /** What the reader may have had: others are not told of. */
  readonly seen?: 'open' | 'shared';
  /** What a copy must lose that was filled while the PIN was entered; the rest goes with it. */
  readonly takeBack?: Scan;
};

export type Scan = (owner: CopyOwner, cursor: string | undefined) => Source;

/** One request type: how its part of a copy is completed, and then kept up to date. */
export type Feed = {
  readonly request: RequestType;
  readonly removal?: Removal;
  /** The first time, all at once … */
  readonly scan?: Scan;
  /** … or one partner or album after the other, also those that come later. */
  readonly backfill?: {
    readonly type: EntityType;
    readonly of: 'partners' | 'albums';
    readonly entity: keyof Entities;
    readonly source: (id: string, cursor: string | undefined) => Source;
  };
  readonly readings: readonly Reading[];
  /** Part of the account's own that only a session with the PIN has: found by this. */
  readonly locked?: Scan;
  /** Refers to things of earlier feeds: those that appeared since are left for the next stream. */
  readonly late?: { readonly scopes: ScopeName; readonly kinds: readonly string[] };
};

const ASSET = ['asset', 'shown'];
const SHOWN = { scopes: 'own', kinds: ['shown'] } as const;
const SHOWN_BY_PARTNERS = { scopes: 'partners', kinds: ['shown'] } as const;
const SHOWN_BY_ALBUMS = { scopes: 'albums', kinds: ['album_asset'] } as const;

const albumFeed = (request: 'AlbumsV1' | 'AlbumsV2', type: 'AlbumV1' | 'AlbumV2'): Feed => ({
  request,
  removal: {
    type: 'AlbumDeleteV1',
    entity: 'album',
    scopes: 'own',
    kinds: ['album'],
    data: GONE.album,
  },
  scan: sources.allAlbums,
  readings: [
    {
      type,
      entity: request === 'AlbumsV1' ? 'albumWithOwner' : 'album',
      scopes: 'home',
      // The cover may be another one after anything that happens in the album.
      kinds: ['album', 'album_asset', 'asset'],
    },
  ],
});

/** In the order of REQUEST_TYPES; types that are not here have nothing to send yet. */
export const FEEDS: readonly Feed[] = [
  {
    request: 'UsersV1',
    removal: {
      type: 'UserDeleteV1',
      entity: 'user',
      scopes: 'everybody',
      kinds: ['user'],
      data: GONE.user,
    },
    scan: (_owner, cursor) => sources.allUsers(cursor),
    readings: [{ type: 'UserV1', entity: 'user', scopes: 'everybody', kinds: ['user'] }],
  },
  {
    request: 'PartnersV1',
    removal: {
      type: 'PartnerDeleteV1',
      entity: 'partner',
      scopes: 'own',
      kinds: ['partner'],
      data: GONE.partner,
    },
    scan: sources.allPartners,
    readings: [{ type: 'PartnerV1', entity: 'partner', scopes: 'own', kinds: ['partner'] }],
  },
  {
    request: 'AssetsV2',
    removal: {
      type: 'AssetDeleteV1',
      entity: 'asset',
      scopes: 'own',
      kinds: ASSET,
      data: GONE.asset,
      seen: 'open',
      takeBack: sources.lockedAssets,
    },
    scan: sources.ownAssets,
    readings: [{ type: 'AssetV2', entity: 'asset', scopes: 'own', kinds: ASSET }],
    locked: sources.lockedAssets,
  },
  {
    request: 'StacksV1',
    removal: {
      type: 'StackDeleteV1',
      entity: 'stack',
      scopes: 'own',
      kinds: ['stack'],
      data: GONE.stack,
      seen: 'open',
      takeBack: sources.lockedStacks,
    },
    scan: (owner, cursor) => sources.stacks(owner.userId, cursor),
    readings: [{ type: 'StackV1', entity: 'stack', scopes: 'own', kinds: ['stack'] }],
    locked: sources.lockedStacks,
    late: { scopes: 'own', kinds: ['stack'] },
  },
  {
    request: 'PartnerAssetsV2',
    removal: {
      type: 'PartnerAssetDeleteV1',
      entity: 'partnerAsset',
      scopes: 'partners',
      kinds: ASSET,
      data: GONE.asset,
      seen: 'shared',
    },
    backfill: {
      type: 'PartnerAssetBackfillV2',
      of: 'partners',
      entity: 'partnerAsset',
      source: sources.partnerAssets,
    },
    readings: [
      { type: 'PartnerAssetV2', entity: 'partnerAsset', scopes: 'partners', kinds: ASSET },
    ],
  },
  {
    request: 'PartnerStacksV1',
    removal: {
      type: 'PartnerStackDeleteV1',
      entity: 'partnerStack',
      scopes: 'partners',
      kinds: ['stack'],
      data: GONE.stack,
      seen: 'shared',
    },
    backfill: {
      type: 'PartnerStackBackfillV1',
      of: 'partners',
      entity: 'partnerStack',
      source: sources.stacks,
    },
    readings: [
      { type: 'PartnerStackV1', entity: 'partnerStack', scopes: 'partners', kinds: ['stack'] },
    ],
    late: { scopes: 'partners', kinds: ['stack'] },
  },
  {
    request: 'AlbumAssetsV2',
    backfill: {
      type: 'AlbumAssetBackfillV2',
      of: 'albums',
      entity: 'albumContent',
      source: sources.assetsOfAlbum,
    },
    readings: [
      { type: 'AlbumAssetUpdateV2', entity: 'albumContent', scopes: 'albums', kinds: ['asset'] },
      {
        type: 'AlbumAssetCreateV2',
        entity: 'albumContent',
        scopes: 'albums',
        kinds: ['album_asset'],
      },
    ],
  },
  albumFeed('AlbumsV1', 'AlbumV1'),
  albumFeed('AlbumsV2', 'AlbumV2'),
  {
    request: 'AlbumUsersV1',
    removal: {
      type: 'AlbumUserDeleteV1',
      entity: 'albumUser',
      scopes: 'albums',
      kinds: ['album_user'],
      data: GONE.albumUser,
    },
    backfill: {
      type: 'AlbumUserBackfillV1',
      of: 'albums',
      entity: 'albumUser',
      source: sources.usersOfAlbum,
    },
    readings: [
      { type: 'AlbumUserV1', entity: 'albumUser', scopes: 'albums', kinds: ['album_user'] },
    ],
    late: { scopes: 'albums', kinds: ['album_user'] },
  },
  {
    request: 'AlbumToAssetsV1',
    removal: {
      type: 'AlbumToAssetDeleteV1',
      entity: 'albumAsset',
      scopes: 'albums',
      kinds: ['album_asset'],
      data: GONE.albumAsset,
    },
    backfill: {
      type: 'AlbumToAssetBackfillV1',
      of: 'albums',
      entity: 'albumAsset',
      source: sources.assetsOfAlbum,
    },
    readings: [
      { type: 'AlbumToAssetV1', entity: 'albumAsset', scopes: 'albums', kinds: ['album_asset'] },
    ],
    late: SHOWN_BY_ALBUMS,
  },
  {
    request: 'AssetExifsV1',
    scan: sources.ownAssets,
    readings: [{ type: 'AssetExifV1', entity: 'exif', scopes: 'own', kinds: ['exif', 'shown'] }],
    locked: sources.lockedAssets,
    late: SHOWN,
  },
  {
    request: 'AlbumAssetExifsV1',
    backfill: {
      type: 'AlbumAssetExifBackfillV1',
      of: 'albums',
      entity: 'albumExif',
      source: sources.assetsOfAlbum,
    },
    readings: [
      { type: 'AlbumAssetExifUpdateV1', entity: 'albumExif', scopes: 'albums', kinds: ['exif'] },
      {
        type: 'AlbumAssetExifCreateV1',
        entity: 'albumExif',
        scopes: 'albums',
        kinds: ['album_asset'],
      },
    ],
    late: SHOWN_BY_ALBUMS,
  },
  {
    request: 'PartnerAssetExifsV1',
    backfill: {
      type: 'PartnerAssetExifBackfillV1',
      of: 'partners',
      entity: 'partnerExif',
      source: sources.partnerAssets,
    },
    readings: [
      {
        type: 'PartnerAssetExifV1',
        entity: 'partnerExif',
        scopes: 'partners',
        kinds: ['exif', 'shown'],
      },
    ],
    late: SHOWN_BY_PARTNERS,
  },
  {
    request: 'AssetMetadataV1',
    removal: {
      type: 'AssetMetadataDeleteV1',
      entity: 'metadata',
      scopes: 'own',
      kinds: ['metadata'],
      data: GONE.metadata,
      seen: 'open',
    },
    scan: sources.ownAssets,
    readings: [
      { type: 'AssetMetadataV1', entity: 'metadata', scopes: 'own', kinds: ['metadata', 'shown'] },
    ],
    locked: sources.lockedAssets,
    late: SHOWN,
  },
  {
    request: 'AssetEditsV1',
    removal: {
      type: 'AssetEditDeleteV1',
      entity: 'edit',
      scopes: 'own',
      kinds: ['edit'],
      data: GONE.edit,
      seen: 'open',
    },
    scan: sources.ownAssets,
    readings: [{ type: 'AssetEditV1', entity: 'edit', scopes: 'own', kinds: ['edit', 'shown'] }],
    locked: sources.lockedAssets,
    late: SHOWN,
  },
];
