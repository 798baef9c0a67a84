import type { WorkflowStep, WorkflowTrigger } from '../../../db/tables/workflows.ts';
import { CORE_PLUGIN } from './define.ts';

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
];
