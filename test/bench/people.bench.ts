// bun test/bench/people.bench.ts [assets] [people]: what people cost in a large library where every item
// has a face. On a database of the server in TEST_POSTGRES; prints JSON.
import { findUnfolded, foldCounts } from '../../src/areas/people/counts.store.ts';
import { latency, openLibrary, timed } from './measure.ts';
import { dropLibrary, seedLibrary } from './seed.ts';

const [assets = 1_000_000, people = 5000] = process.argv.slice(2).map(Number);
const DIMENSION = 128;

const library = await seedLibrary('bench_people', assets);
const { db, sql, request, close } = openLibrary(library);

const results: Record<string, unknown> = { assets, people };
try {
  await sql`
    insert into person (owner_id, name, is_hidden)
    select ${library.userId}, case when n % 3 = 0 then 'Person ' || n else '' end, n % 20 = 0
    from generate_series(1, ${people}) n`;
  // A few are on a tenth of all items each, most on a few hundred.
  results['insertFacesMs'] = await timed(
    () => sql`
      with who as materialized (select array_agg(id order by id) as ids from person)
      insert into face (owner_id, asset_id, person_id, x1, y1, x2, y2, image_width, image_height,
        source, model_id, score, clustered_at, source_revision)
      select owner_id, asset.id, who.ids[1 + floor(power(random(), 4) * ${people})::int],
        0.1, 0.1, 0.3, 0.4, 4000, 3000, 'machine-learning', 'bench', 0.9, now(), 'x'
      from asset cross join who`,
  );
  await sql`analyze`;
  results['listMs'] = await latency(() => request('GET /people'));
  results['listHiddenMs'] = await latency(() => request('GET /people?withHidden=true&size=1000'));
  const [most] = (await request('GET /people?size=1000')).people;
  const [big] = await sql`
    select person_id as id, sum(faces)::int as faces from person_count
    group by person_id order by 2 desc limit 1`;
  results['facesOfLargest'] = big!['faces'];
  results['personMs'] = await latency(() => request(`GET /people/${most.id}`));
  results['statisticsOfLargestMs'] = await latency(() =>
    request(`GET /people/${big!['id']}/statistics`),
  );
  results['bucketsOfLargestMs'] = await latency(() =>
    request(`GET /timeline/buckets?personId=${big!['id']}`),
  );
  results['nameSearchMs'] = await latency(() => request('GET /search/person?name=pers'));

  // Vectors to query: a few for each person.
  await sql`insert into embedding_model (model_id, dimension, slots)
    values ('bench', ${DIMENSION}, ${people * 5})`;
  await sql`
    insert into embedding (model, subject_id, kind, slot, vector)
    select embedding_model.id, face.id, 'face', row_number() over () - 1,
      decode(repeat(lpad(to_hex((random() * 4000)::int), 4, '0'), ${DIMENSION}), 'hex')
    from embedding_model cross join person cross join lateral (
      select id from shown_face where person_id = person.id limit 5) face`;
  results['closestMs'] = await latency(() => request(`GET /people?closestPersonId=${most.id}`), 10);
  results['suggestionsMs'] = await latency(() => request('GET /people/merge-suggestions'), 10);

  const batch = (await sql`select id from asset order by id limit 5000`).map((row) => row['id']);
  results['archive5000Ms'] = await timed(
    () => sql`update asset set visibility = 'archive' where id = any(${batch}::uuid[])`,
  );
  results['lock5000Ms'] = await timed(
    () => sql`update asset set locked_at = now() where id = any(${batch}::uuid[])`,
  );
  results['deltaRows'] = Number((await sql`select count(*) as n from person_count`)[0]!['n']);
  results['foldMs'] = await timed(async () => {
    const ids = await findUnfolded(db);
    await db.transaction((tx) => foldCounts(tx, ids));
  });
  const [a, b] = await sql`
    select person_id as id, sum(faces)::int as faces from person_count
    group by person_id having sum(faces) < ${assets / 100} order by 2 desc limit 2`;
  results['mergedFaces'] = b!['faces'];
  results['mergeMs'] = await timed(() =>
    request('POST /people/merge', { ids: [a!['id'], b!['id']] }),
  );
  const [record] = (await request(`GET /people/${a!['id']}/corrections`)).items;
  results['undoMergeMs'] = await timed(() => request(`POST /people/corrections/${record.id}/undo`));
  console.log(JSON.stringify(results, undefined, 2));
} finally {
  await close();
  await dropLibrary(library.name);
}
