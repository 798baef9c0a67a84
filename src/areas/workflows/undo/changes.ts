/** The fields of an item that actions change and an undo restores. */
export const FIELDS = ['favorite', 'visibility', 'rating', 'description', 'tag', 'album'] as const;
export type Field = (typeof FIELDS)[number];
/** Fields with one value. */
export type ValueField = Exclude<Field, 'tag' | 'album'>;

export type Value = boolean | string | number | null;
/** The value of a field, and whether it is a decision that a new extraction of metadata leaves alone. */
export type Former = { readonly value: Value; readonly isEdited: boolean };

/** The state of an item. */
export type State = {
  readonly values: Readonly<Record<ValueField, Former>>;
  /** Ids of its tags. */
  readonly tags: ReadonlySet<string>;
  /** Its albums with the time when it was added to each, as PostgreSQL's text. */
  readonly albums: ReadonlyMap<string, string>;
};

export type Change = {
  readonly assetId: string;
  readonly field: Field;
  /** The tag or the album. */
  readonly targetId: string | null;
  /** Null for a tag or an album. */
  readonly former: Former | null;
  readonly latter: Value;
};

const VALUE_FIELDS = FIELDS.filter(
  (field): field is ValueField => field !== 'tag' && field !== 'album',
);

/** Returns what differs between two states of an item, without tags and albums that it has lost. */
export function listChanges(assetId: string, before: State, after: State): Change[] {
  const values = VALUE_FIELDS.filter(
    (field) => before.values[field].value !== after.values[field].value,
  ).map((field) => ({
    assetId,
    field,
    targetId: null,
    former: before.values[field],
    latter: after.values[field].value,
  }));
  const tags = Array.from(after.tags.difference(before.tags), (targetId) => ({
    assetId,
    field: 'tag' as const,
    targetId,
    former: null,
    latter: null,
  }));
  const albums = [...after.albums].flatMap(([targetId, latter]) =>
    before.albums.get(targetId) === latter
      ? []
      : [{ assetId, field: 'album' as const, targetId, former: null, latter }],
  );
  return [...values, ...tags, ...albums];
}

/** Returns whether an item still has what a change has given it. */
export function isAsLeft(
  { field, targetId, latter }: Change,
  { values, tags, albums }: State,
): boolean {
  if (field === 'tag') return tags.has(targetId ?? '');
  if (field === 'album') return albums.get(targetId ?? '') === latter;
  return values[field].value === latter;
}
