import type { Deps } from '../../../core/context.ts';
import { CONSE, getInference, listSemanticModels } from '../../../inference/index.ts';

/** A sentence as the model that compares it with pictures reads it. */
export type EncodedSentence = {
  readonly text: string;
  readonly modelId: string;
  readonly vector: Float32Array;
  /** Cosine from which a picture mostly shows what the sentence says. */
  readonly typical: number;
};

/** Models that learned from pictures with texts give small values; means of words give large ones. */
const TYPICAL = { clip: 0.25, conse: 0.65 };

/** Returns the sentences for the best model; without those that it cannot read now. */
export async function encodeSentences(
  deps: Pick<Deps, 'settings' | 'log'>,
  sentences: ReadonlySet<string>,
): Promise<EncodedSentence[]> {
  const [model] = sentences.size > 0 ? listSemanticModels(deps.settings) : [];
  if (!model) return [];
  const { modelId } = model;
  const typical = modelId === CONSE ? TYPICAL.conse : TYPICAL.clip;
  try {
    return await Promise.all(
      [...sentences].map(async (text) => {
        const vector = await getInference(deps).embedQuery(text, { modelId });
        return { text, modelId, vector, typical };
      }),
    );
  } catch (error) {
    deps.log.warn('text embedding failed', { error });
    return [];
  }
}
