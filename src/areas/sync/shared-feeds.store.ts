import { ASSET, type Feed } from './feed.ts';
import { GONE } from './rows.store.ts';
import * as members from './relation-sources.store.ts';
import * as sources from './sources.store.ts';

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

/** What partners share, and albums, also those of the account itself. */
export const SHARED_FEEDS: readonly Feed[] = [
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
      source: members.partnerAssets,
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
      source: members.partnerStacks,
    },
    readings: [
      { type: 'PartnerStackV1', entity: 'partnerStack', scopes: 'partners', kinds: ['stack'] },
    ],
    late: ['stack'],
  },
  {
    request: 'AlbumAssetsV2',
    backfill: {
      type: 'AlbumAssetBackfillV2',
      of: 'albums',
      entity: 'albumContent',
      source: members.albumAssets,
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
      source: members.albumUsers,
    },
    readings: [
      { type: 'AlbumUserV1', entity: 'albumUser', scopes: 'albums', kinds: ['album_user'] },
    ],
    late: ['album_user'],
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
      source: members.albumAssets,
    },
    readings: [
      { type: 'AlbumToAssetV1', entity: 'albumAsset', scopes: 'albums', kinds: ['album_asset'] },
    ],
    late: ['album_asset'],
  },
  {
    request: 'AlbumAssetExifsV1',
    backfill: {
      type: 'AlbumAssetExifBackfillV1',
      of: 'albums',
      entity: 'albumExif',
      source: members.albumAssets,
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
    late: ['album_asset'],
  },
  {
    request: 'PartnerAssetExifsV1',
    backfill: {
      type: 'PartnerAssetExifBackfillV1',
      of: 'partners',
      entity: 'partnerExif',
      source: members.partnerAssets,
    },
    readings: [
      {
        type: 'PartnerAssetExifV1',
        entity: 'partnerExif',
        scopes: 'partners',
        kinds: ['exif', 'shown'],
      },
    ],
    late: ['shown'],
  },
];
