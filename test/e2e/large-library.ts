import { photo } from './browser.ts';
import type { Stage } from './stage.ts';

const SIZES = [
  [600, 400],
  [400, 600],
  [600, 450],
  [800, 300],
] as const;

/** Adds a few photos and so many copies of them with the same pictures, one every `minutes` back in time. */
export async function addManyPhotos(
  stage: Stage,
  { photos, minutes }: { readonly photos: number; readonly minutes: number },
): Promise<void> {
  await stage.add(
    SIZES.map(([width, height], at) => photo(`${at}.jpg`, '2026:06:01 12:00:00', width, height)),
  );
  const { sql } = stage.database;
  await sql.begin(async (tx) => {
    await tx`
      create temp table made on commit drop as
      select gen_random_uuid() as id, number, source.*
      from generate_series(1, ${photos}) number
      join (select id as source_id, owner_id, sha256, file_name, file_size, width, height, thumbhash,
              row_number() over (order by id) as place from asset) source
        on source.place = number % ${SIZES.length} + 1`;
    await tx`
      insert into asset (id, owner_id, type, sha256, sha1, file_name, file_size, taken_at,
        local_taken_at, file_modified_at, width, height, thumbhash)
      select id, owner_id, 'IMAGE', sha256, decode(md5(number::text) || '00000000', 'hex'),
        file_name, file_size, taken, taken, taken, width, height, thumbhash
      from made, lateral (select timestamp '2026-05-31' - number * ${minutes} * interval '1 minute' as taken) t`;
    await tx`insert into asset_exif (asset_id) select id from made`;
    await tx`
      insert into asset_file (asset_id, kind, name, mime_type, size, tag)
      select made.id, kind, name, mime_type, size, tag
      from made join asset_file on asset_id = source_id`;
  });
  await sql`analyze`;
}
