import { type SQL, sql } from 'drizzle-orm';
import { column, type InferRow } from '../../db/columns.ts';
import type { AssetPerson } from './schemas.ts';

/** The schema of PERSON_COLUMNS. */
export const PERSON_VIEW = {
  id: column.uuid,
  name: column.text,
  birthDate: column.date.orNull,
  isHidden: column.boolean,
  isFavorite: column.boolean,
  color: column.text.orNull,
  thumbnailTag: column.text.orNull,
  /** The face on the thumbnail; null after it was assigned to another person. */
  thumbnailFaceId: column.uuid.orNull,
  updatedAt: column.timestamptz,
};

export type PersonView = Omit<InferRow<typeof PERSON_VIEW>, 'updatedAt'> & {
  /** The builder returns instants as dates, statements as text. */
  readonly updatedAt: Date | string;
};

/** Columns of a table named "person". */
export const PERSON_COLUMNS: SQL =
  sql.raw(`person.id, person.name, person.birth_date as "birthDate",
  person.is_hidden as "isHidden", person.is_favorite as "isFavorite", person.color,
  person.thumbnail_tag as "thumbnailTag", person.thumbnail_face_id as "thumbnailFaceId",
  person.updated_at as "updatedAt"`);

export const toPerson = (row: PersonView): AssetPerson => ({
  id: row.id,
  name: row.name,
  birthDate: row.birthDate,
  isHidden: row.isHidden,
  isFavorite: row.isFavorite,
  thumbnailPath:
    row.thumbnailTag === null || row.thumbnailFaceId === null
      ? ''
      : `/api/people/${row.id}/thumbnail`,
  updatedAt: new Date(row.updatedAt).toISOString(),
  ...(row.color && { color: row.color }),
});
