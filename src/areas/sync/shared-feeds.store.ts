import { ASSET_KINDS, type Feed } from './feed.ts';
import { REMOVED_DATA } from './entities.store.ts';
import * as members from './relation-sources.store.ts';
import * as sources from './sources.store.ts';

const albumFeed = (request: 'AlbumsV1' | 'AlbumsV2', type: 'AlbumV1' | 'AlbumV2'): Feed => ({
  request,
  removal: {
    type: 'AlbumDeleteV1',
    // Also of an album that is shared again since: the copy drops its content, which the next stream brings.
    entity: 'filledAlbum',
    scopes: 'own',
    kinds: ['album'],
    data: REMOVED_DATA.album,
  },
  scan: sources.allAlbums,
  upserts: [
    {
      type,
      entity: request === 'AlbumsV1' ? 'albumWithOwner' : 'album',
      scopes: 'home',
      // Any change of the album's content may change its cover.
      kinds: ['album', 'album_asset', 'asset'],
    },
  ],
});

/** Feeds of partners and of all albums, own ones included. */
export const SHARED_FEEDS: readonly Feed[] = [
  {
    request: 'PartnerAssetsV2',
    removal: {
      type: 'PartnerAssetDeleteV1',
      entity: 'sharedAsset',
      scopes: 'partners',
      kinds: ASSET_KINDS,
      ownKinds: ['asset_unshared'],
      alsoSentAs: ['AlbumAssetBackfillV2', 'AlbumAssetCreateV2'],
      data: REMOVED_DATA.asset,
      audience: 'shared',
    },
    backfill: {
      type: 'PartnerAssetBackfillV2',
      of: 'partners',
      entity: 'partnerAsset',
      source: members.selectPartnerAssetRows,
    },
    upserts: [
      { type: 'PartnerAssetV2', entity: 'partnerAsset', scopes: 'partners', kinds: ASSET_KINDS },
    ],
  },
  {
    request: 'PartnerStacksV1',
    removal: {
      type: 'PartnerStackDeleteV1',
      entity: 'partnerStack',
      scopes: 'partners',
      kinds: ['stack'],
      ownKinds: ['stack_unshared'],
      data: REMOVED_DATA.stack,
      audience: 'shared',
    },
    backfill: {
      type: 'PartnerStackBackfillV1',
      of: 'partners',
      entity: 'partnerStack',
      source: members.selectPartnerStackRows,
    },
    upserts: [
      { type: 'PartnerStackV1', entity: 'partnerStack', scopes: 'partners', kinds: ['stack'] },
    ],
    lateKinds: ['stack'],
  },
  {
    request: 'AlbumAssetsV2',
    backfill: {
      type: 'AlbumAssetBackfillV2',
      of: 'albums',
      entity: 'albumContent',
      source: members.selectAlbumAssetRows,
    },
    upserts: [
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
      data: REMOVED_DATA.albumUser,
    },
    backfill: {
      type: 'AlbumUserBackfillV1',
      of: 'albums',
      entity: 'albumUser',
      source: members.selectAlbumUserRows,
    },
    upserts: [
      { type: 'AlbumUserV1', entity: 'albumUser', scopes: 'albums', kinds: ['album_user'] },
    ],
    lateKinds: ['album_user'],
  },
  {
    request: 'AlbumToAssetsV1',
    removal: {
      type: 'AlbumToAssetDeleteV1',
      entity: 'albumAsset',
      scopes: 'albums',
      kinds: ['album_asset'],
      data: REMOVED_DATA.albumAsset,
    },
    backfill: {
      type: 'AlbumToAssetBackfillV1',
      of: 'albums',
      entity: 'albumAsset',
      source: members.selectAlbumAssetRows,
    },
    upserts: [
      { type: 'AlbumToAssetV1', entity: 'albumAsset', scopes: 'albums', kinds: ['album_asset'] },
    ],
    lateKinds: ['album_asset'],
  },
  {
    request: 'AlbumAssetExifsV1',
    backfill: {
      type: 'AlbumAssetExifBackfillV1',
      of: 'albums',
      entity: 'albumExif',
      source: members.selectAlbumAssetRows,
    },
    upserts: [
      { type: 'AlbumAssetExifUpdateV1', entity: 'albumExif', scopes: 'albums', kinds: ['exif'] },
      {
        type: 'AlbumAssetExifCreateV1',
        entity: 'albumExif',
        scopes: 'albums',
        kinds: ['album_asset'],
      },
    ],
    lateKinds: ['album_asset'],
  },
  {
    request: 'PartnerAssetExifsV1',
    backfill: {
      type: 'PartnerAssetExifBackfillV1',
      of: 'partners',
      entity: 'partnerExif',
      source: members.selectPartnerAssetRows,
    },
    upserts: [
      {
        type: 'PartnerAssetExifV1',
        entity: 'partnerExif',
        scopes: 'partners',
        // The partner may see an asset, or not, by its day of capture.
        kinds: ['exif', 'shown', 'asset'],
      },
    ],
    lateKinds: ['shown'],
  },
];
