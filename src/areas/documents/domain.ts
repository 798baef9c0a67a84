import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { noAccess, notFound } from '../../core/errors.ts';
import { fold } from '../../core/fold-text.ts';
import { isCorrectable, rankCorrections, findSimilarWords, tokenize } from '../search/index.ts';
import { getText, joinLines } from './line-text.ts';
import type {
  AssetOcr,
  DocumentResponse,
  DocumentSearchResponse,
  DocumentsFilter,
} from './schemas.ts';
import * as store from './store.ts';
import { toDocument } from './view.ts';

/**
 * Lists the caller's documents in Timeline and archive, newest first; with a query every photo with that text,
 * as a street sign.
 */
export async function listDocuments(
  ctx: Ctx,
  { page = 1, query = '', size = 100 }: DocumentsFilter,
): Promise<DocumentSearchResponse> {
  const session = requireUser(ctx.session);
  const reader = { ...ctx, session };
  const paging = { limit: size, offset: (page - 1) * size };
  let words = parseQuery(query);
  let found = await store.findDocuments(reader, { words, ...paging });
  if (found.total === 0 && words.some(({ mayBeMistyped }) => mayBeMistyped)) {
    words = await correctWords(ctx, words);
    found = await store.findDocuments(reader, { words, ...paging });
  }
  const { documents, total } = found;
  const lines = Map.groupBy(
    await store.listLines(
      ctx.db,
      documents.map(({ id }) => id),
    ),
    (line) => line.assetId,
  );
  return {
    items: documents.map(({ id, fileName, takenAt, localTakenAt, ...rest }) => {
      const ofDocument = lines.get(id) ?? [];
      return {
        ...rest,
        id,
        originalFileName: fileName,
        fileCreatedAt: takenAt,
        localDateTime: localTakenAt,
        lineCount: ofDocument.length,
        snippet: createSnippet(
          joinLines(ofDocument),
          words.flatMap(({ word, corrections }) => [word, ...corrections]),
        ),
      };
    }),
    total,
    page,
    size,
    hasNextPage: page * size < total,
  };
}

/** Returns the words of a query; without words ('§ 5', '€') the characters themselves. */
function parseQuery(query: string): store.SearchWord[] {
  const words = [...new Set(tokenize(query))];
  if (words.length > 0) {
    return words.map((word) => ({ word, mayBeMistyped: isCorrectable(word), corrections: [] }));
  }
  return fold(query)
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => ({ word, mayBeMistyped: false, corrections: [] }));
}

/** Adds corrections from the dictionary; words of other accounts match nothing of the caller. */
async function correctWords(
  { db }: Ctx,
  words: readonly store.SearchWord[],
): Promise<store.SearchWord[]> {
  const mistyped = words.filter(({ mayBeMistyped }) => mayBeMistyped).map(({ word }) => word);
  const similar = await findSimilarWords(db, mistyped);
  return words.map((sought) => ({
    ...sought,
    corrections: rankCorrections(sought.word, similar.get(sought.word) ?? []),
  }));
}

export async function getDocument({ db, session }: Ctx, id: string): Promise<DocumentResponse> {
  const asset = await store.findAsset(db, session, id);
  if (!asset?.hasText) throw notFound('Document');
  const isOwner = asset.ownerId === requireUser(session).userId;
  const [lines, decisions] = [
    await store.listLines(db, [asset.id]),
    await store.listDecisions(db, asset.id),
  ];
  return toDocument({ id: asset.id, isOwner, lines, decisions });
}

/** Returns the recognized lines of an asset with the owner's corrections. Throws 400 `noAccess`. */
export async function listAssetOcr({ db, session }: Ctx, id: string): Promise<AssetOcr[]> {
  const asset = await store.findAsset(db, session, id);
  if (!asset) throw noAccess('asset.read');
  const lines = await store.listLines(db, [asset.id]);
  return lines
    .filter(({ action, isRead }) => action !== 'dismiss' && isRead)
    .map((line) => {
      const [x1, y1, x2, y2, x3, y3, x4, y4] = line.quad;
      const { boxScore, score: textScore } = line;
      const text = getText(line);
      return {
        id: line.id,
        assetId: asset.id,
        text,
        boxScore,
        textScore,
        x1,
        y1,
        x2,
        y2,
        x3,
        y3,
        x4,
        y4,
      };
    });
}

const MAX_CHARS = 300;
/** Context shown before the match. */
const CHARS_BEFORE_MATCH = 80;

/** Returns up to 300 characters around the first match of the folded words, else the beginning. */
function createSnippet(text: string, words: readonly string[]): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  if (flat.length <= MAX_CHARS) return flat;
  const at = findFirstMatch(flat, words);
  const start = at <= CHARS_BEFORE_MATCH ? 0 : findWordStart(flat, at - CHARS_BEFORE_MATCH);
  const head = start > 0 ? '…' : '';
  const room = MAX_CHARS - head.length;
  if (flat.length - start <= room) return head + flat.slice(start);
  return `${head}${dropHalfPair(flat.slice(start, start + room - 1)).trimEnd()}…`;
}

function findFirstMatch(text: string, words: readonly string[]): number {
  if (words.length === 0) return 0;
  // Folding changes lengths: maps each folded character to its origin.
  let folded = '';
  const origins: number[] = [];
  let at = 0;
  for (const letter of text) {
    const plain = fold(letter);
    folded += plain;
    for (let step = 0; step < plain.length; step++) origins.push(at);
    at += letter.length;
  }
  const places = words.map((word) => folded.indexOf(word)).filter((place) => place >= 0);
  // Without a place the minimum is Infinity, which has no origin.
  return origins[Math.min(...places)] ?? 0;
}

const findWordStart = (text: string, near: number): number => {
  const space = text.indexOf(' ', near);
  return space < 0 || space > near + 40 ? skipHalfPair(text, near) : space + 1;
};
/** Never splits a surrogate pair. */
const skipHalfPair = (text: string, at: number): number =>
  /[\uDC00-\uDFFF]/.test(text[at] ?? '') ? at + 1 : at;
const dropHalfPair = (text: string): string => text.replace(/[\uD800-\uDBFF]$/, '');
