import type { CommandSpec } from './command.ts';

/** A command without a summary is internal and not in the help. */
export type CommandEntry = {
  readonly summary?: string;
  readonly load: () => Promise<{ readonly command: CommandSpec }>;
};

/** A Map, not an object: `constructor` is no command. */
export const COMMANDS: ReadonlyMap<string, CommandEntry> = new Map<string, CommandEntry>([
  ['serve', { summary: 'Run the server (the default)', load: () => import('./serve.ts') }],
  [
    'worker',
    {
      summary: 'Run jobs only, for a second machine',
      load: () => import('./worker.ts'),
    },
  ],
  [
    'migrate',
    {
      summary: 'Apply missing migrations to the database',
      load: () => import('./migrate.ts'),
    },
  ],
  ['status', { summary: 'Show queues, rates and errors', load: () => import('./status.ts') }],
  ['admin', { summary: 'Accounts, passwords and API keys', load: () => import('./admin.ts') }],
  [
    'immich-admin',
    {
      summary: 'The same, and what more there is, by the names of Immich',
      load: () => import('./immich-admin.ts'),
    },
  ],
  [
    'config',
    {
      summary: 'Read and change what administrators configure',
      load: () => import('./config.ts'),
    },
  ],
  [
    'import',
    {
      summary: 'Take in a folder of photos and videos',
      load: () => import('./import.ts'),
    },
  ],
  [
    'maintenance',
    {
      summary: 'Maintenance mode, backups, verification of the originals',
      load: () => import('./maintenance.ts'),
    },
  ],
  [
    'models',
    {
      summary: 'Models that look at photos: list, fetch, verify',
      load: () => import('./models.ts'),
    },
  ],
  [
    'storage',
    {
      summary: 'Where originals are: move them to an object store and back, verify it',
      load: () => import('./storage.ts'),
    },
  ],
  ['doctor', { summary: 'Check what this machine lacks', load: () => import('./doctor.ts') }],
  ['image-worker', { load: () => import('./image-worker.ts') }],
  ['archive-reader', { load: () => import('./archive-reader.ts') }],
  ['prepare-model', { load: () => import('./prepare-model.ts') }],
  ['inference', { load: () => import('./inference.ts') }],
  [
    'media-host',
    {
      summary: 'Run decoders and models for a server, apart from it',
      load: () => import('./media-host.ts'),
    },
  ],
  ['openapi', { summary: 'Print the API document', load: () => import('./openapi.ts') }],
  ['selftest-native', { load: () => import('./selftest.ts') }],
  ['studio-stream', { load: () => import('./studio-stream.ts') }],
  ['version', { summary: 'Print the version', load: () => import('./version.ts') }],
]);
