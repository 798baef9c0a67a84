import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { notFound } from '../../../core/errors.ts';
import {
  getCapabilities,
  InferenceCrashed,
  getInference,
  ModelMissing,
  readEmbeddings,
  getVectorIndex,
} from '../../../inference/index.ts';
import { MAX_MATCHES, toMatch } from './moment-match.ts';
import type { MomentMatch, MomentMatches, MomentSearch } from '../schemas.ts';
import * as store from './search.store.ts';
import { findFrame } from '../store.ts';
import { findByText, WORDS_SCORE } from './word-search.domain.ts';

const DEFAULT_SIZE = 24;

/** Returns frames similar to a frame by stored vectors; runs no model. Throws 404. */
export async function findSimilarFrames(
  ctx: Ctx,
  id: string,
  limit = DEFAULT_SIZE,
): Promise<MomentMatches> {
  const frame = await findFrame(ctx.db, requireUser(ctx.session), id);
  if (!frame) throw notFound('Frame');
  const modelId = frame.vectorModel;
  const [stored] = modelId ? await readEmbeddings(ctx.db, modelId, [frame.id]) : [];
  if (!modelId || !stored) return { items: [], nextPage: null };
  const found = await findNearestFrames(ctx, {
    modelId,
    vector: stored.vector,
    k: limit,
    except: frame.id,
  });
  const items = found.map(({ row, score }) => toMatch(row, score, ['similarity']));
  return { items, nextPage: null };
}

/** Minimum score as a share of the best one. */
const MIN_SCORE_SHARE = 0.8;
/**
 * Minimum cosine similarity by model: some frame is near to any text. Of 550 pictures, the default
 * model puts 1 in 30 above this for an unrelated word; depicted ones have 0.56 to 0.84.
 */
const MIN_SCORES: ReadonlyMap<string, number> = new Map([['conse-1', 0.55]]);

export async function searchMoments(
  ctx: Ctx,
  { query, assetIds, kinds, page = 1, size = DEFAULT_SIZE }: MomentSearch,
): Promise<MomentMatches> {
  const filter = { assetIds: assetIds?.map((id) => id.toLowerCase()), kinds };
  const found = new Map<string, MomentMatch>(await findByText(ctx, query, filter));
  // Manual moments have no picture of their own.
  if (!kinds || kinds.includes('generated')) {
    for (const match of await findByMeaning(ctx, query, filter)) {
      const known = found.get(toKey(match));
      found.set(toKey(match), known ? mergeMatches(known, match) : match);
    }
  }
  const all = [...found]
    .sort(([a, one], [b, other]) => other.score - one.score || (a < b ? -1 : 1))
    .map(([, match]) => match);
  const isMore = all.length > page * size;
  return {
    items: all.slice((page - 1) * size, page * size),
    nextPage: isMore ? page + 1 : null,
  };
}

const toKey = ({ momentId, frameId }: MomentMatch): string => momentId ?? frameId ?? '';

const mergeMatches = (a: MomentMatch, b: MomentMatch): MomentMatch => ({
  ...a,
  score: Math.max(a.score, b.score),
  matchedBy: [...a.matchedBy, ...b.matchedBy],
});

async function findByMeaning(
  ctx: Ctx,
  query: string,
  filter: store.SearchFilter,
): Promise<MomentMatch[]> {
  const modelId = getCapabilities(ctx.settings).embedding?.modelId;
  const vector = modelId ? await embedText(ctx, query) : undefined;
  if (!modelId || !vector) return [];
  const found = await findNearestFrames(ctx, { modelId, vector, k: MAX_MATCHES, filter: filter });
  const least = Math.max(MIN_SCORES.get(modelId) ?? 0, (found[0]?.score ?? 0) * MIN_SCORE_SHARE);
  return found
    .filter(({ score }) => score > 0 && score >= least)
    .map(({ row, score }) => toMatch(row, score * WORDS_SCORE, ['meaning']));
}

/**
 * Returns the embedding of a text; undefined when inference is unavailable, and words have to do.
 */
async function embedText(ctx: Ctx, text: string): Promise<Float32Array | undefined> {
  try {
    return await getInference(ctx).embedQuery(text);
  } catch (error) {
    if (!(error instanceof ModelMissing || error instanceof InferenceCrashed)) throw error;
    ctx.log.warn('text embedding failed, searching moments by words', { error });
    return undefined;
  }
}

type NearestRequest = {
  readonly modelId: string;
  readonly vector: Float32Array;
  readonly k: number;
  readonly filter?: store.SearchFilter;
  readonly except?: string;
};

async function findNearestFrames(
  ctx: Ctx,
  { modelId, vector, k, filter = {}, except }: NearestRequest,
) {
  const reader = toReader(ctx);
  const candidates = await store.selectFrameSlots(reader, modelId, filter, except);
  if (candidates.length === 0) return [];
  const hits = await getVectorIndex(ctx).nearest(modelId, vector, { k, candidates });
  const slots = hits.map(({ slot }) => slot);
  const rows = await store.findFramesBySlot(reader, modelId, filter, slots);
  return hits.flatMap(({ slot, score }) => {
    const row = rows.get(slot);
    return row ? [{ row, score }] : [];
  });
}

const toReader = (ctx: Ctx): store.Reader => ({
  db: ctx.db,
  session: requireUser(ctx.session),
});
