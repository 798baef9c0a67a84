import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { prepareQuery } from '../../../db/query.ts';

export type ExternalFile = {
  /** Absolute path of a file in an external library. */
  readonly path: string;
  /** The import path that it is in; null: its library was changed meanwhile. */
  readonly root: string | null;
};

const selectExternal = prepareQuery<ExternalFile>(sql`
  select original.path, (
    select root from library_file file join library on library.id = file.library_id
    cross join unnest(library.import_paths) root
    where file.sha256 = original.sha256 and file.path = original.path
      and starts_with(file.path, rtrim(root, '/') || '/')
    limit 1) as root
  from original
  where sha256 = decode(${sql.placeholder('sha256')}::text, 'hex') and path is not null`);

/** Returns the file of a content (SHA-256 in hex) that only external libraries have. */
export async function findExternalFile(db: Db, sha256: string): Promise<ExternalFile | undefined> {
  const [row] = await selectExternal(db, { sha256 });
  return row;
}
