import type { AssetPerson } from './schemas.ts';

/** A row of `person`; raw statements return instants as text. */
export type PersonView = {
  readonly id: string;
  readonly name: string;
  readonly birthDate: string | null;
  readonly isHidden: boolean;
  readonly isFavorite: boolean;
  readonly color: string | null;
  readonly thumbnailTag: string | null;
  /** The face on the thumbnail; null after it was assigned to another person. */
  readonly thumbnailFaceId: string | null;
  readonly updatedAt: Date | string;
};

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
