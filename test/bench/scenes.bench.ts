// make bench ARGS=scenes: of how many photos each scene is claimed rightly and wrongly, by the half of the photos to
// which thresholds were fitted and by the other one. Writes scene-figures.json beside the code, and prints JSON.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rateScenes, SCENES } from '../../src/areas/search/labels/scenes.ts';
import { tokenize } from '../../src/areas/search/match/words.ts';
import { closeInference } from '../../src/inference/client.ts';
import { testDatabase } from '../support/harness.ts';
import { withModels } from '../support/models.ts';
import { analyzeScenes, listScenePhotos, type ScenePhoto, type SeenScene } from './scene-photos.ts';

const FIGURES = join(import.meta.dir, '../../src/areas/search/labels/scene-figures.json');
type Figures = { shown: number; right: number; wrong: number };

/** The same half each time. */
const isFitted = ({ name }: ScenePhoto) =>
  Buffer.from(name).reduce((sum, byte) => (sum * 31 + byte) >>> 0, 7) % 2 === 0;

const rate = ({ labels, objects, layout = [], text }: SeenScene) => {
  const words = text.flatMap((line) => tokenize(line.text));
  const all = rateScenes({ tags: labels, objects, layout, words });
  return new Map(all.map(({ label, score }) => [label, score]));
};

const database = await testDatabase();
const settings = { ...database.deps.settings, ...withModels(database.deps.paths.root) };
const photos = await listScenePhotos();
const seen = await analyzeScenes({ ...database.deps, settings }, photos);
const rated = photos.map((photo) => ({ photo, scores: rate(seen.get(photo.name)!) }));

const known: Record<string, { threshold: number }> = JSON.parse(readFileSync(FIGURES, 'utf8'));
const count = (scene: string, threshold: number, half: boolean): Figures => {
  const figures = { shown: 0, right: 0, wrong: 0 };
  for (const { photo, scores } of rated) {
    if (isFitted(photo) !== half || photo.unsure.has(scene)) continue;
    const isClaimed = scores.get(scene)! >= threshold;
    const isShown = photo.shown.has(scene);
    figures.shown += Number(isShown);
    figures.right += Number(isClaimed && isShown);
    figures.wrong += Number(isClaimed && !isShown);
  }
  return figures;
};
const measured = SCENES.map((scene) => {
  const { threshold } = known[scene]!;
  const [fitted, heldOut] = [count(scene, threshold, true), count(scene, threshold, false)];
  return [scene, { threshold, fitted, heldOut }] as const;
});
writeFileSync(FIGURES, `${JSON.stringify(Object.fromEntries(measured), undefined, 2)}\n`);
for (const [scene, figures] of measured) console.log(JSON.stringify({ scene, ...figures }));
console.log(JSON.stringify({ photos: photos.length, fitted: photos.filter(isFitted).length }));
await closeInference();
await database.close();
