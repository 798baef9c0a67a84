import identity from './0001_identity.sql' with { type: 'text' };
import assets from './0002_assets.sql' with { type: 'text' };
import albums from './0003_albums.sql' with { type: 'text' };
import jobs from './0004_jobs.sql' with { type: 'text' };

export type Migration = { readonly name: string; readonly sql: string };

/** In order. Listed by hand so that the bundler embeds each file; a test compares with the folder. */
export const migrations: readonly Migration[] = [
  { name: '0001_identity', sql: identity },
  { name: '0002_assets', sql: assets },
  { name: '0003_albums', sql: albums },
  { name: '0004_jobs', sql: jobs },
];
