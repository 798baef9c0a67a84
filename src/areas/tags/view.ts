import type { Tag } from './schemas.ts';

/** A row of `tag`; prepared statements return timestamps as text. */
export type TagView = {
  readonly id: string;
  readonly parentId: string | null;
  readonly name: string;
  readonly value: string;
  readonly color: string | null;
  readonly createdAt: Date | string;
  readonly updatedAt: Date | string;
};

export const toTag = (row: TagView): Tag => ({
  id: row.id,
  name: row.name,
  value: row.value,
  createdAt: new Date(row.createdAt).toISOString(),
  updatedAt: new Date(row.updatedAt).toISOString(),
  ...(row.parentId && { parentId: row.parentId }),
  ...(row.color && { color: row.color }),
});
