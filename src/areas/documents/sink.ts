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
  type Box,
  computeIou,
} from '../../inference/index.ts';
import { saveTextPart } from '../search/index.ts';
import { indexLines } from './text-index.domain.ts';
import { deleteDocument, hasDecisions, replaceLines, saveDocument } from './recognition.store.ts';
import { omitNoise } from './noise.ts';
import { type LineRow, listLines } from './store.ts';
import { fold } from '../../core/fold-text.ts';

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

type PlacedText = { readonly text: string; readonly quad: LineQuad };

const MIN_OVERLAP = 0.3;
const MIN_SAME_PLACE_OVERLAP = 0.5;
/** Shorter texts do not identify a line. */
const MIN_DISTINCTIVE_CHARS = 4;

/**
 * Matches recognized lines to known ones: same text at about the same place, else same place, else
 * same text anywhere (the picture may have been rotated). Returns the known line by index of the
 * found one; no line is used twice.
 */
function matchLines<Known extends PlacedText>(
  known: readonly Known[],
  found: readonly PlacedText[],
): Map<number, Known> {
  const matches = new Map<number, Known>();
  const lines = found.map((line, index) => ({ index, ...measure(line) }));
  const free = new Set(known.map((old) => ({ old, ...measure(old) })));
  type Line = (typeof lines)[number];
  const take = (fits: (line: Line, text: string, overlap: number) => boolean) => {
    const pairs = lines.flatMap((line) =>
      matches.has(line.index)
        ? []
        : [...free].flatMap((known) => {
            const overlap = computeIou(line.box, known.box);
            return fits(line, known.text, overlap) ? [{ index: line.index, known, overlap }] : [];
          }),
    );
    for (const { index, known } of pairs.toSorted((a, b) => b.overlap - a.overlap)) {
      if (matches.has(index) || !free.has(known)) continue;
      matches.set(index, known.old);
      free.delete(known);
    }
  };
  take((line, text, overlap) => overlap >= MIN_OVERLAP && line.text === text);
  take((_line, _text, overlap) => overlap >= MIN_SAME_PLACE_OVERLAP);
  take((line, text) => text.length >= MIN_DISTINCTIVE_CHARS && line.text === text);
  return matches;
}

const measure = ({ text, quad }: PlacedText) => ({
  text: fold(text).replaceAll(/\s+/g, ''),
  box: toBox(quad),
});

function toBox(quad: LineQuad): Box {
  const xs = quad.filter((_value, index) => index % 2 === 0);
  const ys = quad.filter((_value, index) => index % 2 === 1);
  return { x1: Math.min(...xs), x2: Math.max(...xs), y1: Math.min(...ys), y2: Math.max(...ys) };
}
