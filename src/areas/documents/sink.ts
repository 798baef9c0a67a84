import { randomUUID } from 'node:crypto';
import { lockAsset } from '../../inference/subject.store.ts';
import type { Db } from '../../db/client.ts';
import type { DocumentLineRow, LineQuad } from '../../db/tables/documents.ts';
import {
  DEFAULT_THRESHOLDS,
  defineSink,
  type Point,
  type Quad,
  type TextLine,
  type Thresholds,
} from '../../inference/index.ts';
import { saveTextPart } from '../search/index.ts';
import { indexLines } from './text-index.domain.ts';
import { deleteDocument, hasDecisions, replaceLines, saveDocument } from './recognition.store.ts';
import { matchLines } from './line-matching.ts';
import { omitNoise } from './noise.ts';
import { type LineRow, listLines } from './store.ts';

const MAX_LINES = 1000;

/** Stores the recognized text of every asset. */
export const textSink = defineSink({
  task: 'text',
  store: (db, { assetId }, lines, { modelId }, thresholds = DEFAULT_THRESHOLDS) =>
    saveRecognition(
      db,
      assetId,
      omitNoise(lines.flatMap((line) => cleanLine(line, thresholds))),
      modelId,
    ),
});

async function saveRecognition(
  db: Db,
  assetId: string,
  read: readonly CleanLine[],
  modelId: string,
): Promise<void> {
  await lockAsset(db, assetId);
  const lines = mergeLines(assetId, await listLines(db, [assetId]), read);
  const isDecided = await hasDecisions(db, assetId);
  if (lines.length === 0 && !isDecided) {
    await deleteDocument(db, assetId);
    await saveTextPart(db, assetId, 'read', '');
    return;
  }
  await saveDocument(db, { assetId, modelId });
  await replaceLines(db, assetId, lines);
  await indexLines(db, assetId);
}

type CleanLine = Pick<DocumentLineRow, 'text' | 'score' | 'boxScore' | 'quad'>;

function cleanLine(
  { text: given, score, boxScore, quad }: TextLine,
  thresholds: Thresholds,
): CleanLine[] {
  const text = given.replaceAll(/\p{Cc}+/gu, ' ').trim();
  if (text === '' || score <= thresholds.text || boxScore < thresholds.textBox) return [];
  return [{ text, score: clamp(score), boxScore: clamp(boxScore), quad: toLineQuad(quad) }];
}

const clamp = (value: number) => Math.min(1, Math.max(0, value));
const toLineQuad = ([a, b, c, d]: Quad): LineQuad => [
  ...toCorner(a),
  ...toCorner(b),
  ...toCorner(c),
  ...toCorner(d),
];
const toCorner = ({ x, y }: Point): [number, number] => [clamp(x), clamp(y)];

/**
 * Merges recognized lines into known ones, which keep their number and edits. A corrected line that
 * is not recognized again stays in its place; a dismissed one goes.
 */
function mergeLines(
  assetId: string,
  known: readonly LineRow[],
  read: readonly CleanLine[],
): DocumentLineRow[] {
  const found = read.slice(0, MAX_LINES);
  const matches = matchLines(known, found);
  let next = Math.max(-1, ...known.map(({ line }) => line)) + 1;
  const lines = found.map((line, index) => {
    const old = matches.get(index);
    const number = old?.line ?? next++;
    return { ...line, id: old?.id ?? randomUUID(), assetId, line: number, isRead: true };
  });
  const matched = new Set(matches.values());
  for (const old of known) {
    if (matched.has(old) || old.action !== 'correct') continue;
    const { id, line, text, score, boxScore, quad } = old;
    const orphan = { id, assetId, line, text, score, boxScore, quad, isRead: false };
    const below = lines.findIndex((other) => other.quad[1] > quad[1]);
    lines.splice(below < 0 ? lines.length : below, 0, orphan);
  }
  return lines.map((line, position) => ({ ...line, position }));
}
