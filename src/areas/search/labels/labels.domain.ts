import { lockOwned, ownedAmong } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { badRequest, noAccess } from '../../../core/errors.ts';
import { MIN_LABEL_SCORE } from '../match/texts.store.ts';
import { listLabels, saveDecision } from './decisions.store.ts';
import type { AssetLabel, AssetLabelUpdate } from './labels.schemas.ts';
import { loadVocabulary } from './vocabulary.ts';

/** Returns what the models see in a picture of the caller, and what the caller says about it. */
export async function listAssetLabels(
  ctx: Ctx,
  assetId: string,
  language: string | undefined,
): Promise<AssetLabel[]> {
  if ((await ownedAmong(ctx.db, ctx.session, [assetId])).size === 0) throw noAccess('asset.read');
  const [labels, vocabulary] = await Promise.all([
    listLabels(ctx.db, assetId, MIN_LABEL_SCORE),
    loadVocabulary(),
  ]);
  const spoken = language?.split('-')[0]?.toLowerCase() ?? '';
  return labels.map(({ label, score, isRight }) => ({
    label,
    name: vocabulary.toLanguage(label, spoken) ?? label,
    score,
    isRight,
  }));
}

/** Saves what the caller says about a label; null leaves it to the models again. */
export async function updateAssetLabel(
  ctx: Ctx,
  assetId: string,
  { label, isRight }: AssetLabelUpdate,
): Promise<void> {
  const { isLabel } = await loadVocabulary();
  await inTransaction(ctx, async ({ db, session }) => {
    if ((await lockOwned(db, session, [assetId])).size === 0) throw noAccess('asset.update');
    if (!isLabel(label)) throw badRequest('label is not one that a model gives');
    await saveDecision(db, assetId, label, isRight);
  });
}
