import type { WorkflowStep, WorkflowTrigger } from '../../../db/tables/workflows.ts';
import { CORE_PLUGIN, OWN_PLUGIN } from './define.ts';

/** A workflow to start from. */
export type Template = {
  readonly plugin: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly trigger: WorkflowTrigger;
  readonly steps: readonly Pick<WorkflowStep, 'method' | 'config'>[];
};

const core = (name: string, config: Record<string, unknown>) => ({
  method: `${CORE_PLUGIN}#${name}`,
  config,
});

const own = (name: string, config: Record<string, unknown>) => ({
  method: `${OWN_PLUGIN}#${name}`,
  config,
});

export const templates: readonly Template[] = [
  {
    plugin: CORE_PLUGIN,
    name: 'screenshots-smart-album',
    title: 'Archive screenshots',
    description:
      'Archive uploads with "screenshot" in the filename and optionally add them to an album',
    trigger: 'AssetCreate',
    steps: [
      core('assetFileFilter', {
        pattern: 'screenshot',
        matchType: 'contains',
        caseSensitive: false,
      }),
      core('assetArchive', { inverse: false }),
      core('assetAddToAlbums', { albumName: 'Screenshots', albumIds: [] }),
    ],
  },
  {
    plugin: CORE_PLUGIN,
    name: 'missing-timezone-smart-album',
    title: 'Missing timezone',
    description: 'Automatically create an album for assets without a time zone',
    trigger: 'AssetMetadataExtraction',
    steps: [
      core('assetMissingTimeZoneFilter', {}),
      core('assetAddToAlbums', { albumName: 'Missing time zone', albumIds: [] }),
    ],
  },
  {
    plugin: OWN_PLUGIN,
    name: 'receipts',
    title: 'Receipts and invoices to an album',
    description: 'Collect pictures of receipts and invoices',
    trigger: 'AssetMetadataExtraction',
    steps: [
      own('groupFilter', {
        combine: 'any',
        filters: ['invoice', 'receipt', 'rechnung', 'total', 'vat'].map((pattern) =>
          own('textFilter', { pattern }),
        ),
      }),
      own('documentFilter', {}),
      own('addToNamedAlbum', { name: 'Receipts {{year}}' }),
    ],
  },
  {
    plugin: OWN_PLUGIN,
    name: 'documents-archive',
    title: 'Archive documents',
    description: 'Keep pictures of papers out of the timeline',
    trigger: 'AssetMetadataExtraction',
    steps: [own('documentFilter', {}), core('assetArchive', {})],
  },
  {
    plugin: OWN_PLUGIN,
    name: 'places',
    title: 'An album for each town and year',
    description: 'Sort what has a place into albums',
    trigger: 'AssetMetadataExtraction',
    steps: [own('addToNamedAlbum', { name: '{{city}} {{year}}' })],
  },
  {
    plugin: OWN_PLUGIN,
    name: 'drone',
    title: 'Tag pictures of a drone',
    description: 'Tag what DJI cameras have taken',
    trigger: 'AssetMetadataExtraction',
    steps: [own('cameraFilter', { pattern: 'DJI' }), own('addNamedTags', { tags: ['Drone'] })],
  },
  {
    plugin: OWN_PLUGIN,
    name: 'large-videos',
    title: 'Tag large videos',
    description: 'Find videos of more than a gigabyte again',
    trigger: 'AssetCreate',
    steps: [
      core('assetTypeFilter', { allowedTypes: ['VIDEO'] }),
      own('sizeFilter', { min: 1_000 }),
      own('addNamedTags', { tags: ['Large videos'] }),
    ],
  },
  {
    plugin: OWN_PLUGIN,
    name: 'five-stars',
    title: 'Five stars are favorites',
    description: 'Make favorites of what the camera or another program has given five stars',
    trigger: 'AssetMetadataExtraction',
    steps: [own('ratingFilter', { min: 5 }), core('assetFavorite', {})],
  },
  {
    plugin: OWN_PLUGIN,
    name: 'messenger',
    title: 'Archive pictures of messengers',
    description: 'Keep pictures that WhatsApp has saved out of the timeline',
    trigger: 'AssetCreate',
    steps: [
      core('assetFileFilter', {
        pattern: String.raw`^(IMG|VID)-\d{8}-WA\d+`,
        matchType: 'regex',
      }),
      core('assetArchive', {}),
    ],
  },
  {
    plugin: OWN_PLUGIN,
    name: 'bursts',
    title: 'Stack bursts',
    description: 'Show photos that were taken in one go as one',
    trigger: 'AssetMetadataExtraction',
    steps: [own('stackBurst', { seconds: 2 })],
  },
  {
    plugin: OWN_PLUGIN,
    name: 'person-album',
    title: 'Share pictures of a person',
    description: 'Collect pictures of a person in an album that others may view',
    trigger: 'AssetMetadataExtraction',
    steps: [own('shareToPersonAlbum', { personIds: [], userIds: [] })],
  },
  {
    plugin: OWN_PLUGIN,
    name: 'sunsets',
    title: 'Tag sunsets',
    description: 'Tag pictures that look like a sunset',
    trigger: 'AssetMetadataExtraction',
    steps: [
      own('likenessFilter', { sentence: 'a sunset' }),
      own('addNamedTags', { tags: ['Sunset'] }),
    ],
  },
  {
    plugin: OWN_PLUGIN,
    name: 'scans',
    title: 'Notify me of scans',
    description: 'Tell me when old pictures arrive, to check their dates',
    trigger: 'AssetMetadataExtraction',
    steps: [
      own('cameraFilter', { pattern: 'scan' }),
      own('notify', { message: 'Scans have arrived' }),
    ],
  },
];
