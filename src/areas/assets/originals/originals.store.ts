import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { prepareQuery } from '../../../db/query.ts';

const ORIGINAL_PLACE_COLUMNS = {
  /** A check has found that its bytes are missing or damaged. */
  isDamaged: column.boolean,
  /** Absolute path of a file in an external library that alone has the content; null: it is in our store. */
  path: column.text.orNull,
  /** False: its library was changed meanwhile. */
  isInLibrary: column.boolean,
  /** Key of its object; null: it is a file. */
  objectKey: column.text.orNull,
  /** Bytes. */
  size: column.float,
};

export type OriginalPlace = InferRow<typeof ORIGINAL_PLACE_COLUMNS>;

const selectPlace = prepareQuery(
  ORIGINAL_PLACE_COLUMNS,
  sql`
  select original.path, original.missing_at is not null as "isDamaged",
    object_key as "objectKey", size::float8 as size, exists (
    select from library_file file join library on library.id = file.library_id
    cross join unnest(library.import_paths) root
    where file.sha256 = original.sha256 and file.path = original.path
      and starts_with(file.path, rtrim(root, '/') || '/')) as "isInLibrary"
  from original
  where sha256 = decode(${sql.placeholder('sha256')}::text, 'hex')`,
);

/** Returns where the file of a content (SHA-256 in hex) is. */
export async function findPlace(db: Db, sha256: string): Promise<OriginalPlace | undefined> {
  const [row] = await selectPlace(db, { sha256 });
  return row;
}
