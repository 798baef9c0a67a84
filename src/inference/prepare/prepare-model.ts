import { readFileSync } from 'node:fs';
import { sha256, toHex } from '../../core/hash.ts';
import type { Recipe } from '../models/prepared.ts';
import { RECIPES } from './recipes.ts';
import { convertTflite } from './tflite/convert.ts';

/**
 * Body of the child that rewrites a model: the door to this folder. `digest`: of the bytes that it was asked for.
 * Prints the file, nothing where the recipe leaves it as it is. Throws on other bytes, and on what is no model.
 */
export async function prepareModel([
  recipe = '',
  digest,
  path = '',
  ...extraOutputs
]: readonly string[]): Promise<void> {
  const model = readFileSync(path);
  if (toHex(sha256(model)) !== digest) throw new Error('The file has changed');
  const made =
    recipe === 'tflite' ? convertTflite(model, { extraOutputs }) : RECIPES[recipe as Recipe](model);
  if (made === model) return;
  await Bun.write(Bun.stdout, made);
}
