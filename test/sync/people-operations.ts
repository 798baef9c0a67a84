import { addFace, addPerson } from '../support/people.ts';
import { pick, pickRow, type Place } from './pick.ts';

/** Changes of people, faces and text in SQL, one transaction each. */
export const CAST_OPERATIONS = {
  async person({ database: { sql }, people }: Place, a: number, b: number) {
    await sql`insert into person (owner_id, name)
      values (${people[a % people.length]!.id}, ${b % 2 ? `p${b}` : ''})`;
  },
  /** A photo of somebody who was not known, one thing after the other. */
  async portrait({ database, people }: Place, a: number, b: number) {
    const ownerId = people[a % people.length]!.id;
    const { id: personId } = await addPerson(database, { ownerId, name: `r${b}` });
    await addFace(database, { ownerId, personId });
  },
  /** As clustering does: somebody new with a first face, at once. */
  async discover(place: Place, a: number) {
    const face = await pick(place, 'face', a);
    if (!face) return;
    await place.database.sql.begin(async (tx) => {
      const [person] = await tx`
        insert into person (owner_id) values (${face['owner_id']}) returning id`;
      await tx`update face set person_id = ${person!['id']}, revision = revision + 1
        where id = ${face['id']}`;
    });
  },
  async face(place: Place, a: number, b: number) {
    const asset = await pick(place, 'asset', a);
    if (!asset) return;
    const ownerId: string = asset['owner_id'];
    const person = await pickRow(place, 'person', b, ownerId);
    const isOfSomebody = person && person['merged_into'] === null && b % 3 > 0;
    await addFace(place.database, {
      ownerId,
      assetId: asset['id'],
      personId: isOfSomebody ? person['id'] : null,
    });
  },
  async moveFace(place: Place, a: number, b: number) {
    const face = await pick(place, 'face', a);
    if (!face) return;
    const person = await pickRow(place, 'person', b, face['owner_id']);
    if (person?.['merged_into']) return;
    await place.database.sql`update face set person_id = ${person?.['id'] ?? null}
      where id = ${face['id']}`;
  },
  async moveBox(place: Place, a: number, b: number) {
    const face = await pick(place, 'face', a);
    if (!face) return;
    await place.database.sql`update face set x1 = ${(b % 200) / 1000}, revision = revision + 1
      where id = ${face['id']}`;
  },
  async hideFace(place: Place, a: number) {
    const face = await pick(place, 'face', a);
    if (!face) return;
    await place.database.sql`update face set is_hidden = not is_hidden where id = ${face['id']}`;
  },
  async compareAgain({ database: { sql } }: Place) {
    await sql`update face set clustered_at = now(), updated_at = now()`;
  },
  async dropFace(place: Place, a: number) {
    const face = await pick(place, 'face', a);
    if (face) await place.database.sql`delete from face where id = ${face['id']}`;
  },
  async namePerson(place: Place, a: number, b: number) {
    const person = await pick(place, 'person', a);
    if (!person) return;
    const portrait = await pickRow(place, 'face', b, person['owner_id']);
    await place.database.sql`
      update person set name = ${`q${b}`}, is_hidden = ${b % 2 === 0},
        cover_face_id = ${portrait?.['id'] ?? null}
      where id = ${person['id']}`;
  },
  async drawPerson(place: Place, a: number) {
    const face = await pick(place, 'face', a);
    if (!face) return;
    await place.database.sql`update person set thumbnail_face_id = ${face['id']}, updated_at = now()
      where id = ${face['person_id']}`;
  },
  async merge(place: Place, a: number, b: number) {
    const kept = await pick(place, 'person', a);
    const gone = kept && (await pickRow(place, 'person', b, kept['owner_id']));
    if (!gone || gone['id'] === kept['id']) return;
    if (gone['merged_into'] !== null || kept['merged_into'] !== null) return;
    await place.database.sql.begin(async (tx) => {
      await tx`update face set person_id = ${kept['id']} where person_id = ${gone['id']}`;
      await tx`update person set merged_into = ${kept['id']} where id = ${gone['id']}`;
    });
  },
  async unmerge({ database: { sql } }: Place, a: number) {
    const merged = await sql`select id from person where merged_into is not null order by id`;
    if (merged.length === 0) return;
    await sql`update person set merged_into = null where id = ${merged[a % merged.length]!['id']}`;
  },
  async dropPerson(place: Place, a: number, b: number) {
    const person = await pick(place, 'person', a);
    if (!person) return;
    const { sql } = place.database;
    if (b % 2) {
      await sql.begin(async (tx) => {
        await tx`update face set person_id = null where person_id = ${person['id']}`;
        await tx`delete from person where id = ${person['id']}`;
      });
    } else await sql`delete from person where id = ${person['id']}`;
  },
  /** Recognition does away with all lines, and writes those that it knew under their old ids. */
  async recognise(place: Place, a: number, b: number) {
    const asset = await pick(place, 'asset', a);
    if (!asset) return;
    await place.database.sql.begin(async (tx) => {
      await tx`insert into document (asset_id, model_id, folded)
        values (${asset['id']}, 'm', 'x') on conflict do nothing`;
      const known =
        await tx`delete from document_line where asset_id = ${asset['id']} returning id`;
      for (let line = 0; line < b % 4; line++) {
        await tx`insert into document_line
          (id, asset_id, line, position, text, score, box_score, quad, is_read)
          values (coalesce(${known[line]?.['id'] ?? null}::uuid, gen_random_uuid()), ${asset['id']},
            ${line}, ${line}, ${`t${b}`}, 0.9, 0.8, '{0,0,1,0,1,1,0,1}', ${b % 5 > 0})`;
      }
    });
  },
  async correctLine(place: Place, a: number, b: number) {
    const line = await pick(place, 'document_line', a);
    if (!line) return;
    const [action, text] = b % 2 ? ['correct', `c${b}`] : ['dismiss', null];
    await place.database.sql`insert into document_edit (asset_id, line, action, text)
      values (${line['asset_id']}, ${line['line']}, ${action!}, ${text!})
      on conflict (asset_id, line) do update set action = excluded.action, text = excluded.text`;
  },
  async uncorrectLine(place: Place, a: number) {
    const edit = await pick(place, 'document_edit', a);
    if (edit) await place.database.sql`delete from document_edit where id = ${edit['id']}`;
  },
  async forgetText(place: Place, a: number) {
    const document = await pick(place, 'document', a, 'asset_id');
    if (!document) return;
    await place.database.sql`delete from document where asset_id = ${document['asset_id']}`;
  },
};
