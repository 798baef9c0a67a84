// Operations beyond Immich's API. Their errors carry a `code`; errors of Immich's operations are exactly
// what its clients compare.

/** `*` stands for an id in the path, `**` at the end for everything below. */
const EXTENSIONS: readonly string[] = [
  '/admin/physical-deduplication/**',
  '/admin/config/safelight',
  '/admin/notifications/mail',
  '/archive-operations/**',
  '/assets/uploads/**',
  '/documents/**',
  '/enrichment/**',
  '/admin/database-backups/restore-drill',
  '/admin/database-backups/state',
  '/admin/maintenance/logs',
  '/admin/maintenance/postgres-upgrade',
  '/admin/maintenance/roll-back',
  '/memories/exports/**',
  '/memories/show-less',
  '/people/corrections/**',
  '/people/merge-suggestions/**',
  '/pets/**',
  '/studio/**',
  '/users/me/backup-devices/**',
  '/users/me/pins',
  'DELETE /admin/users/*/sessions',
  'DELETE /duplicates/decisions',
  'GET /admin/config/locked',
  'GET /admin/integrity/runs',
  'GET /admin/machine',
  'GET /admin/storage-forecast',
  'GET /duplicates/summary',
  'GET /faces/source',
  'GET /jobs/runs/**',
  'GET /map/assets',
  'GET /map/clusters',
  'GET /map/style/**',
  'GET /map/towns/**',
  'GET /assets/*/labels',
  'GET /people/*/corrections',
  'GET /people/*/relation',
  'GET /search/cities/counts',
  'GET /search/completions',
  'GET /server/ready',
  'GET /tags/statistics',
  'GET /trash/activity',
  'GET /trash/items',
  'GET /trash/summary',
  'GET /users/me/preferences/history',
  'GET /view/folder/counts',
  'GET /workflows/*/backfills',
  'PATCH /faces/*',
  'POST /assets/lock',
  'POST /assets/unlock',
  'POST /auth/session/proof',
  'GET /libraries/*/state',
  'GET /libraries/folders',
  'POST /admin/integrity/report/*/repair',
  'POST /libraries/*/missing/confirm',
  'POST /memories/*/exports',
  'POST /memories/*/studio',
  'PUT /assets/*/labels',
  'PUT /people/*/relation',
  'POST /search/ask',
  'POST /search/facets',
  'POST /search/histogram',
  'POST /trash/apply',
  'POST /trash/review',
  'POST /workflows/*/backfills',
  'POST /workflows/*/runs/*/retry',
  'POST /workflows/preview',
  'PUT /workflows/*/backfills/*',
];

const PATTERN = new RegExp(`^(?:${EXTENSIONS.map(toPattern).join('|')})/?$`);

function toPattern(operation: string): string {
  const [path = '', method = '[A-Z]+'] = operation.split(' ').reverse();
  const parts = path.replace(/\/\*\*$/, '(?:/.*)?').replaceAll(/(?<=\/)\*(?=\/|$)/g, '[^/]+');
  return `${method} /api${parts}`;
}

export const isExtension = ({ method, url }: Pick<Request, 'method' | 'url'>): boolean =>
  PATTERN.test(`${method} ${url.replace(/^[a-z]+:\/\/[^/]*|[?#].*$/gs, '')}`);
