import { ASSET, type Feed } from './feed.ts';
import { GONE } from './rows.store.ts';
import * as sources from './sources.store.ts';

const SHOWN = { scopes: 'own', kinds: ['shown'] } as const;

/** What an account has of its own, and who else there is. */
export const OWN_FEEDS: readonly Feed[] = [
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
    request: 'AssetExifsV1',
    scan: sources.ownAssets,
    readings: [{ type: 'AssetExifV1', entity: 'exif', scopes: 'own', kinds: ['exif', 'shown'] }],
    locked: sources.lockedAssets,
    late: SHOWN,
  },
  {
    request: 'AssetOcrV1',
    removal: {
      type: 'AssetOcrDeleteV1',
      entity: 'ocr',
      scopes: 'own',
      kinds: ['ocr_gone'],
      data: GONE.ocr,
      seen: 'open',
    },
    scan: sources.ownAssets,
    readings: [{ type: 'AssetOcrV1', entity: 'ocr', scopes: 'own', kinds: ['ocr', 'shown'] }],
    locked: sources.lockedAssets,
    late: SHOWN,
  },
  {
    request: 'PeopleV1',
    removal: {
      type: 'PersonDeleteV1',
      entity: 'person',
      scopes: 'own',
      kinds: ['person'],
      data: GONE.person,
      seen: 'open',
      takeBack: sources.lockedPeople,
    },
    scan: sources.allPeople,
    readings: [{ type: 'PersonV1', entity: 'person', scopes: 'own', kinds: ['person'] }],
    locked: sources.lockedPeople,
  },
  {
    request: 'AssetFacesV2',
    removal: {
      type: 'AssetFaceDeleteV1',
      entity: 'face',
      scopes: 'own',
      kinds: ['face_gone'],
      data: GONE.face,
      seen: 'open',
    },
    scan: sources.ownAssets,
    readings: [{ type: 'AssetFaceV2', entity: 'face', scopes: 'own', kinds: ['face', 'shown'] }],
    locked: sources.lockedAssets,
    // One that has changed since may be of somebody who was not there when people were sent.
    late: { scopes: 'own', kinds: ['shown', 'face'] },
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
