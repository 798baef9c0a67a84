import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import {
  handleClusterFaces,
  handleReclusterAll,
} from '../../src/areas/people/clustering/clustering.handlers.ts';
import { facesSink } from '../../src/areas/faces/sink.ts';
import { listMergeSuggestions } from '../../src/areas/people/corrections/suggestions.domain.ts';
import { silentLog } from '../../src/core/log.ts';
import { openInference } from '../../src/inference/client.ts';
import { getCapabilities, type Face, type PictureSize } from '../../src/inference/index.ts';
import { closeVectorIndexes } from '../../src/inference/vectors/vectors.ts';
import { createCtx, seed, createSession, testDatabase } from '../support/harness.ts';
import { addPerson } from '../support/people.ts';
import { MODELS, withModels } from '../support/models.ts';
import { jobCtx } from '../support/processing.ts';

/**
 * Precision and recall of clustering: pairs of labelled faces (five men, eleven photos each, and strangers
 * on group photos) that clustering puts together, rightly and wrongly; and what it takes.
 *   bun test/bench/faces.bench.ts
 * The photos are the examples of Debian's libdlib19.1, fetched with apt-get.
 */
const folder = mkdtempSync(join(tmpdir(), 'safelight-faces-'));
// Nothing but derived files is read by the models.
const derived = join(folder, 'derived');
mkdirSync(derived);
const skip = (why: string): never => {
  rmSync(folder, { recursive: true, force: true });
  console.log(JSON.stringify({ skipped: why }));
  process.exit(0);
};

async function photos(): Promise<{ path: string; label: string | undefined }[]> {
  const fetched = Bun.spawnSync(['sh', '-c', 'apt-get download libdlib19.1 && dpkg -x *.deb x'], {
    cwd: derived,
    stdout: 'ignore',
    stderr: 'ignore',
  });
  if (!fetched.success) return [];
  const examples = join(derived, 'x/usr/share/doc/libdlib19.1/examples');
  return readdirSync(examples, { recursive: true, encoding: 'utf8' })
    .filter((name) => /^(johns\/.*|faces\/[^/]*)\.jpg$/.test(name))
    .sort()
    .map((name) => ({
      path: join(examples, name),
      label: name.startsWith('johns/') ? basename(dirname(name)) : undefined,
    }));
}

if (!MODELS) skip('the models are not installed and cannot be fetched');
const files = await photos();
if (files.length === 0) skip('libdlib19.1 cannot be fetched with apt-get');

const settings = withModels(folder);
const inference = openInference({ settings, log: silentLog });
const model = getCapabilities(settings).faces!;
type Photo = {
  readonly label: string | undefined;
  readonly faces: readonly Face[];
  readonly picture: PictureSize;
};
const seen: Photo[] = [];
let lookingMs = 0;
for (const [index, { path, label }] of [files[0]!, ...files].entries()) {
  const from = performance.now();
  const { results, picture } = await inference.analyze({ path }, ['faces']);
  // The first call loads the models: it is not counted.
  if (index === 0) continue;
  lookingMs += performance.now() - from;
  const faces = (results.faces ?? []).toSorted((a, b) => area(b) - area(a));
  // A labelled photo is of one person: the largest face on it.
  seen.push({ label, faces: label === undefined ? faces : faces.slice(0, 1), picture });
}
const childMegabytes = Math.round(inference.memory() / 1024 ** 2);
await inference.close();

function area({ box }: Face): number {
  return (box.x2 - box.x1) * (box.y2 - box.y1);
}

const database = await testDatabase();
const { sql } = database;

async function add(ownerId: string, photo: Photo): Promise<void> {
  const { width, height } = photo.picture;
  const assetId = await seed(database).asset({
    ownerId,
    width,
    height,
    fileName: `${photo.label ?? 'stranger'}.jpg`,
  });
  const asset = { assetId, ownerId, type: 'IMAGE', picture: photo.picture } as const;
  await database.db.transaction((tx) => facesSink.store(tx, asset, photo.faces, model));
}

async function cluster(): Promise<void> {
  for (;;) {
    const effect = await handleClusterFaces(jobCtx(database), {});
    if (!effect) return;
    await database.db.transaction((tx) => effect(tx));
  }
}

type Grouped = { readonly id: string; readonly label: string; readonly person: string | null };
const listGroupedFaces = async (ownerId: string): Promise<Grouped[]> => [
  ...(await sql<Grouped[]>`
    select face.id, replace(file_name, '.jpg', '') as label, person_id as person
    from face join asset on asset.id = asset_id where face.owner_id = ${ownerId} order by face.id`),
];

/** Nobody knows whether two strangers are one person: such pairs are left out. */
function pairwise(faces: readonly Grouped[]) {
  let [right, wrong, missed] = [0, 0, 0];
  for (const [index, one] of faces.entries()) {
    for (const other of faces.slice(index + 1)) {
      if (one.label === 'stranger' && other.label === 'stranger') continue;
      const isTogether = one.person !== null && one.person === other.person;
      if (one.label !== other.label) wrong += Number(isTogether);
      else if (isTogether) right += 1;
      else missed += 1;
    }
  }
  const labels = new Set(faces.map(({ label }) => label).filter((label) => label !== 'stranger'));
  const people = new Set(
    faces.flatMap(({ label, person }) => (label === 'stranger' ? [] : (person ?? []))),
  );
  return {
    precision: round(right / (right + wrong || 1)),
    recall: round(right / (right + missed || 1)),
    people: people.size,
    labels: labels.size,
    faces: faces.length,
  };
}
const round = (value: number) => Number(value.toFixed(4));
const formatPartition = (faces: readonly Grouped[], toName: (face: Grouped) => string) =>
  [
    ...Map.groupBy(
      faces.filter((face) => face.person !== null),
      (face) => face.person,
    ).values(),
  ]
    .map((group) => group.map(toName).sort().join())
    .sort()
    .join(';');

/** Strangers among the rest, and the same every time. */
function shuffled(photos: readonly Photo[], salt: number): Photo[] {
  return photos
    .map((photo, index) => ({ photo, key: Bun.hash(`${salt}/${index}`) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ photo }) => photo);
}

const orders = [];
for (const [index, step] of [seen.length, seen.length, 10, 1].entries()) {
  const { id: ownerId } = await seed(database).user();
  const photosInOrder = index === 0 ? seen : shuffled(seen, index);
  let clusteringMs = 0;
  for (let at = 0; at < photosInOrder.length; at += step) {
    for (const photo of photosInOrder.slice(at, at + step)) await add(ownerId, photo);
    const from = performance.now();
    await cluster();
    clusteringMs += performance.now() - from;
  }
  const faces = await listGroupedFaces(ownerId);
  const before = formatPartition(faces, (face) => face.id);
  const forget = await handleReclusterAll(jobCtx(database), {});
  await database.db.transaction((tx) => forget!(tx));
  await cluster();
  const anew = await listGroupedFaces(ownerId);
  orders.push({
    photosAtOnce: step,
    ...pairwise(faces),
    sameAfterForcedRun: formatPartition(anew, (face) => face.id) === before,
    sameIdsAfterForcedRun: JSON.stringify(anew) === JSON.stringify(faces),
    clusteringMs: Math.round(clusteringMs),
  });
}

/** Each man known as two people, of so many faces: which pairs are suggested? */
async function suggestions(facesOfSmaller: number) {
  const { id: ownerId } = await seed(database).user();
  for (const photo of seen) await add(ownerId, photo);
  const labelsByPerson = new Map<string, string>();
  const byLabel = Map.groupBy(await listGroupedFaces(ownerId), ({ label }) => label);
  for (const [label, faces] of byLabel) {
    if (label === 'stranger') continue;
    for (const part of [faces.slice(0, facesOfSmaller), faces.slice(facesOfSmaller)]) {
      const person = await addPerson(database, { ownerId, name: label });
      labelsByPerson.set(person.id, label);
      const ids = part.map((face) => face.id);
      await sql`update face set person_id = ${person.id} where id = any(${ids}::uuid[])`;
    }
  }
  const ctx = { ...createCtx(database, createSession(ownerId)), settings };
  const found = (await listMergeSuggestions(ctx)).suggestions.map(
    ({ first, second, similarity }) => ({
      isRight: labelsByPerson.get(first.id) === labelsByPerson.get(second.id),
      similarity: round(similarity),
    }),
  );
  const right = found.filter(({ isRight }) => isRight).map(({ similarity }) => similarity);
  const wrong = found.filter(({ isRight }) => !isRight).map(({ similarity }) => similarity);
  return {
    facesOfSmaller,
    of: labelsByPerson.size / 2,
    right: right.length,
    leastRight: Math.min(...right),
    wrong: wrong.length,
    mostWrong: wrong.length > 0 ? Math.max(...wrong) : null,
  };
}
const suggested = [await suggestions(1), await suggestions(2), await suggestions(5)];

console.log(
  JSON.stringify(
    {
      model: model.modelId,
      photos: seen.length,
      lookMsPerPhoto: Math.round(lookingMs / seen.length),
      childMegabytes,
      orders,
      suggested,
    },
    undefined,
    2,
  ),
);
await closeVectorIndexes(sql);
await database.close();
rmSync(folder, { recursive: true, force: true });
