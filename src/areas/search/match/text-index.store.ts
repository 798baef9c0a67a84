import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';

export type TextChanges = {
  /** Ids of the change marks (bigint as text). */
  readonly marks: readonly string[];
  readonly assetIds: readonly string[];
};

/** Returns the oldest change marks; undefined when the index is up to date. */
export async function findTextChanges(db: Db, limit: number): Promise<TextChanges | undefined> {
  const [row] = await queryRows(
    db,
    { marks: column.textArray.orNull, assetIds: column.uuidArray.orNull },
    sql`
    select array_agg(id::text) as marks, array_agg(distinct asset_id) as "assetIds" from (
      select id, asset_id from asset_text_change order by id limit ${limit}
    ) change`,
  );
  return row?.marks && row.assetIds ? { marks: row.marks, assetIds: row.assetIds } : undefined;
}

export type IndexedText = { readonly assetId: string; readonly vector: string };

/**
 * Writes text vectors and deletes exactly the given marks: one with a lower number may be committed
 * later.
 */
export async function saveTextVectors(
  db: Db,
  marks: TextChanges['marks'],
  texts: readonly IndexedText[],
  words: readonly string[],
): Promise<void> {
  const rows = texts.map(({ assetId, vector }) => ({ id: assetId, vector }));
  await queryRows(
    db,
    sql`
    insert into asset_text (asset_id, words)
    select id, vector::tsvector
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) item (id uuid, vector text)
    order by id
    on conflict (asset_id) do update set words = excluded.words
    where asset_text.words is distinct from excluded.words`,
  );
  // A fixed order avoids deadlocks between machines.
  await queryRows(
    db,
    sql`
    insert into search_word (word)
    select word from jsonb_array_elements_text(${JSON.stringify(words)}::jsonb) word
    order by word on conflict do nothing`,
  );
  await queryRows(
    db,
    sql`
    delete from asset_text_change where id = any(${`{${marks.join(',')}}`}::bigint[])`,
  );
}

/** Returns words of the dictionary with similar trigrams, as candidates for corrections. */
export async function findSimilarWords(
  db: Db,
  words: readonly string[],
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  if (words.length === 0) return found;
  await db.transaction(async (tx) => {
    // One wrong letter in five leaves few common trigrams.
    await queryRows(tx, sql`select set_config('pg_trgm.similarity_threshold', '0.18', true)`);
    const rows = await queryRows(
      tx,
      { given: column.text, word: column.text },
      sql`
      select given, similar_word.word
      from jsonb_array_elements_text(${JSON.stringify(words)}::jsonb) given
      cross join lateral (
        select word from search_word
        where word % given and abs(length(word) - length(given)) <= 2
        order by similarity(word, given) desc, word limit 200
      ) similar_word`,
    );
    for (const { given, word } of rows) found.set(given, [...(found.get(given) ?? []), word]);
  });
  return found;
}

/**
 * Stores a recognized text of an asset; an empty text deletes it. Call in the caller's transaction.
 */
export async function saveTextPart(
  db: Db,
  assetId: string,
  kind: 'read' | 'caption' | 'spoken',
  text: string,
): Promise<void> {
  if (text === '') {
    await queryRows(
      db,
      sql`
      delete from asset_text_part where asset_id = ${assetId} and kind = ${kind}`,
    );
    return;
  }
  await queryRows(
    db,
    sql`
    insert into asset_text_part (asset_id, kind, text) values (${assetId}, ${kind}, ${text})
    on conflict (asset_id, kind) do update set text = excluded.text
    where asset_text_part.text is distinct from excluded.text`,
  );
}
