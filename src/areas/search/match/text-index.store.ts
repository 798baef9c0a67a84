import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';

export type TextChanges = {
  /** Of the marks; numbers as text. */
  readonly marks: readonly string[];
  readonly assetIds: readonly string[];
};

/** The oldest marks that assets have changed; undefined: all words are as they should be. */
export async function findTextChanges(db: Db, limit: number): Promise<TextChanges | undefined> {
  const [row] = await db.execute<{ marks: string[] | null; assetIds: string[] | null }>(sql`
    select array_agg(id::text) as marks, array_agg(distinct asset_id) as "assetIds" from (
      select id, asset_id from asset_text_change order by id limit ${limit}
    ) change`);
  return row?.marks && row.assetIds ? { marks: row.marks, assetIds: row.assetIds } : undefined;
}

export type IndexedText = { readonly assetId: string; readonly vector: string };

/**
 * Writes the words of these assets, and takes away the marks that led to them: no others, for one with
 * a lower number may come later.
 */
export async function saveTextVectors(
  db: Db,
  marks: TextChanges['marks'],
  texts: readonly IndexedText[],
  words: readonly string[],
): Promise<void> {
  const rows = texts.map(({ assetId, vector }) => ({ id: assetId, vector }));
  await db.execute(sql`
    insert into asset_text (asset_id, words)
    select id, vector::tsvector
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) item (id uuid, vector text)
    order by id
    on conflict (asset_id) do update set words = excluded.words
    where asset_text.words is distinct from excluded.words`);
  // In one order everywhere, so that two machines do not wait for each other.
  await db.execute(sql`
    insert into search_word (word)
    select word from jsonb_array_elements_text(${JSON.stringify(words)}::jsonb) word
    order by word on conflict do nothing`);
  await db.execute(sql`
    delete from asset_text_change where id = any(${`{${marks.join(',')}}`}::bigint[])`);
}

/** Words that share letters in a row with these: among them are those that were meant. */
export async function findSimilarWords(
  db: Db,
  words: readonly string[],
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  if (words.length === 0) return found;
  await db.transaction(async (tx) => {
    // One wrong letter in five leaves few of the trigrams.
    await tx.execute(sql`select set_config('pg_trgm.similarity_threshold', '0.18', true)`);
    const rows = await tx.execute<{ given: string; word: string }>(sql`
      select given, similar_word.word
      from jsonb_array_elements_text(${JSON.stringify(words)}::jsonb) given
      cross join lateral (
        select word from search_word
        where word % given and abs(length(word) - length(given)) <= 2
        order by similarity(word, given) desc, word limit 200
      ) similar_word`);
    for (const { given, word } of rows) found.set(given, [...(found.get(given) ?? []), word]);
  });
  return found;
}

/** Keeps what another area has found in an asset; an empty text is none. Call in its transaction. */
export async function saveTextPart(
  db: Db,
  assetId: string,
  kind: 'read' | 'caption' | 'spoken',
  text: string,
): Promise<void> {
  if (text === '') {
    await db.execute(sql`
      delete from asset_text_part where asset_id = ${assetId} and kind = ${kind}`);
    return;
  }
  await db.execute(sql`
    insert into asset_text_part (asset_id, kind, text) values (${assetId}, ${kind}, ${text})
    on conflict (asset_id, kind) do update set text = excluded.text
    where asset_text_part.text is distinct from excluded.text`);
}
