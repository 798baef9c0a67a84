import type { Row } from 'postgres';
import type { TestDatabase } from '../support/harness.ts';
import type { Copy } from './client.ts';

// People, faces and text of one account, as its tables have them and as a copy has them.

export type Cast = {
  readonly persons: string[];
  readonly faces: string[];
  readonly ocr: string[];
};

/** `mine`: the account's own assets as it may see them now. */
export async function expectedCast(
  { sql }: Pick<TestDatabase, 'sql'>,
  me: string,
  mine: ReadonlySet<string>,
): Promise<Cast> {
  const [persons, faces, assets, lines, edits]: Row[][] = await Promise.all([
    sql`select * from person where owner_id = ${me}`,
    sql`select * from face`,
    sql`select id, locked_at from asset`,
    sql`select * from document_line`,
    sql`select * from document_edit`,
  ]);
  const locked = new Set(assets!.flatMap((row) => (row['locked_at'] ? [row['id']] : [])));
  const listFaces = (person: Row) => faces!.filter((face) => face['person_id'] === person['id']);
  const findPortrait = (person: Row) => {
    const shown = listFaces(person).filter(
      (face) => !face['is_hidden'] && !locked.has(face['asset_id']),
    );
    const candidates = [person['cover_face_id'], person['thumbnail_face_id']];
    return candidates.find((id) => shown.some((face) => face['id'] === id)) ?? null;
  };
  return {
    persons: persons!
      .filter((person) => {
        const all = listFaces(person);
        const isKnown = all.length === 0 || all.some((face) => mine.has(face['asset_id']));
        return person['merged_into'] === null && isKnown;
      })
      .map((person) =>
        [person['id'], person['name'], person['is_hidden'], findPortrait(person)].join(' '),
      )
      .sort(),
    faces: faces!
      .filter((face) => mine.has(face['asset_id']))
      .map((face) =>
        [
          face['id'],
          face['asset_id'],
          face['person_id'],
          Math.round(face['x1'] * face['image_width']),
          Math.round(face['y2'] * face['image_height']),
          !face['is_hidden'],
        ].join(' '),
      )
      .sort(),
    ocr: lines!
      .filter((line) => mine.has(line['asset_id']))
      .map((line) => {
        const edit = edits!.find(
          (row) => row['asset_id'] === line['asset_id'] && row['line'] === line['line'],
        );
        const isVisible = line['is_read'] && edit?.['action'] !== 'dismiss';
        return `${line['id']} ${line['asset_id']} ${edit?.['text'] ?? line['text']} ${isVisible}`;
      })
      .sort(),
  };
}

export function shownCast(copy: Copy): Cast {
  const texts = (table: Map<string, Row>, fields: readonly string[]) =>
    [...table.values()].map((row) => fields.map((field) => row[field]).join(' ')).sort();
  return {
    persons: texts(copy.persons, ['id', 'name', 'isHidden', 'faceAssetId']),
    faces: texts(copy.faces, [
      'id',
      'assetId',
      'personId',
      'boundingBoxX1',
      'boundingBoxY2',
      'isVisible',
    ]),
    ocr: texts(copy.ocr, ['id', 'assetId', 'text', 'isVisible']),
  };
}
