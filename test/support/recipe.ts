import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrations } from '../../migrations/index.ts';

const ROOT = join(import.meta.dir, '../..');

/** Adds text behind an anchor, which stands in the file once. Without one, `insert` is a new file. */
type Step = { readonly file: string; readonly after?: string; readonly insert: string };

const NUMBER = String(migrations.length + 1).padStart(4, '0');
const NAME = `${NUMBER}_album_color`;

/** The recipe "a field of an album" of appliance/docs/development.md, for a color. */
export const ALBUM_COLOR: readonly Step[] = [
  {
    file: `migrations/${NAME}.sql`,
    insert: "alter table album add column color text not null default ''; -- color of its card\n",
  },
  {
    file: 'migrations/index.ts',
    after: "import identity from './0001_identity.sql' with { type: 'text' };",
    insert: `\nimport albumColor from './${NAME}.sql' with { type: 'text' };`,
  },
  {
    file: 'migrations/index.ts',
    after: /^.*\n(?=\];$)/m.exec(readFileSync(join(ROOT, 'migrations/index.ts'), 'utf8'))![0],
    insert: `  { name: '${NAME}', sql: albumColor, online: 44 },\n`,
  },
  {
    file: 'src/db/tables/albums.ts',
    after: "coverId: uuid('cover_id'),",
    insert: "\n  color: text().notNull().default(''),",
  },
  {
    file: 'src/areas/albums/schemas.ts',
    after: 'const Description = t.String({ maxLength: 10_000 });',
    insert: '\nconst Color = t.String({ maxLength: 7 });',
  },
  {
    file: 'src/areas/albums/schemas.ts',
    after: 'albumThumbnailAssetId: t.Nullable(Uuid),',
    insert: '\n    color: t.String(),',
  },
  {
    file: 'src/areas/albums/schemas.ts',
    after: 'assetIds: t.Optional(t.Array(Uuid, { maxItems: 65_000 })),',
    insert: '\n    color: t.Optional(Color),',
  },
  {
    file: 'src/areas/albums/schemas.ts',
    after: 'albumThumbnailAssetId: t.Optional(Uuid),',
    insert: '\n    color: t.Optional(Color),',
  },
  {
    file: 'src/areas/albums/domain.ts',
    after: 'const { albumName, description, albumUsers, assetIds,',
    insert: ' color,',
  },
  { file: 'src/areas/albums/domain.ts', after: 'coverId: undefined,', insert: '\n      color,' },
  {
    file: 'src/areas/albums/domain.ts',
    after: 'const { isActivityEnabled, order,',
    insert: ' color,',
  },
  { file: 'src/areas/albums/domain.ts', after: 'sortOrder: order,', insert: '\n      color,' },
  {
    file: 'src/areas/albums/view.domain.ts',
    after: 'description: row.description,',
    insert: '\n      color: row.color,',
  },
  {
    file: 'src/areas/sync/entities.store.ts',
    after: 'description: sql`album.description`,',
    insert: '\n  color: sql`album.color`,',
  },
  ...['SyncAlbumV1', 'SyncAlbumV2'].map((schema) => ({
    file: 'test/contract/compat.json',
    after: `"${schema}": {\n      "src": "immich",\n      "fields": {`,
    insert: '\n        "color": { "type": "string", "required": true },',
  })),
  {
    file: 'src/web/data/albums/album-order.test.ts',
    after: "  description: '',",
    insert: "\n  color: '',",
  },
  {
    file: 'src/web/pages/albums/album-head.tsx',
    after: '    formatDateRange(album.startDate, album.endDate),',
    insert: '\n    album.color,',
  },
];

/** Returns the edited files by path. Throws for an anchor that does not stand in its file once. */
function applySteps(steps: readonly Step[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { file, after, insert } of steps) {
    if (after === undefined) {
      texts.set(file, insert);
      continue;
    }
    const text = texts.get(file) ?? readFileSync(join(ROOT, file), 'utf8');
    const [head, ...rest] = text.split(after);
    if (rest.length !== 1) {
      throw new Error(`${file} has ${JSON.stringify(after)} ${rest.length} times, not once`);
    }
    texts.set(file, `${head}${after}${insert}${rest[0]}`);
  }
  return texts;
}

/** Copies what a server and its tests consist of, with the steps applied, and returns the folder. */
export function copyWith(steps: readonly Step[]): string {
  const texts = applySteps(steps);
  const folder = mkdtempSync(join(tmpdir(), 'recipe-'));
  const parts = ['src', 'migrations', 'workers', 'native', 'test', 'package.json', 'tsconfig.json'];
  const paths = parts.map((part) => join(ROOT, part));
  const { success, stderr } = Bun.spawnSync(['cp', '-r', ...paths, folder], { stderr: 'pipe' });
  if (!success) throw new Error(stderr.toString());
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const [file, text] of texts) writeFileSync(join(folder, file), text);
  return folder;
}
