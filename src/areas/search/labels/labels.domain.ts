import { lockOwned, ownedAmong } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { badRequest, noAccess } from '../../../core/errors.ts';
import { toPrimaryLanguage } from '../../../core/languages.ts';
import { MIN_LABEL_SCORE } from '../match/texts.store.ts';
import { listDecided, listLabels, saveDecision } from './decisions.store.ts';
import type { AssetLabel, AssetLabelUpdate } from './labels.schemas.ts';
import { toOwnLabel, MAX_OWN_LABELS } from './own-labels.ts';
import { loadVocabulary } from './vocabulary.ts';

/** Returns what the models see in a picture of the caller, and what the caller says about it. */
export async function listAssetLabels(
  ctx: Ctx,
  assetId: string,
  language: string | undefined,
): Promise<AssetLabel[]> {
  if ((await ownedAmong(ctx.db, ctx.session, [assetId])).size === 0) throw noAccess('asset.read');
  const vocabulary = await loadVocabulary();
  const { broader } = vocabulary;
  const labels = await listLabels(ctx.db, assetId, { minScore: MIN_LABEL_SCORE, broader });
  const spoken = toPrimaryLanguage(language) ?? '';
  return labels.map(({ label, score, isRight }) => ({
    label,
    name: vocabulary.toLanguage(label, spoken) ?? label,
    score,
    isRight,
  }));
}

/**
 * Saves what the caller says about a label; null leaves it to the models again. A label that no model gives is kept in
 * the caller's words.
 */
export async function updateAssetLabel(
  ctx: Ctx,
  assetId: string,
  { label: given, isRight, language }: AssetLabelUpdate,
): Promise<void> {
  const vocabulary = await loadVocabulary();
  await inTransaction(ctx, async ({ db, session }) => {
    if ((await lockOwned(db, session, [assetId])).size === 0) throw noAccess('asset.update');
    const known = vocabulary.findLabel(given.trim(), toPrimaryLanguage(language));
    const label = known ?? toOwnLabel(given);
    if (label === undefined) throw badRequest("label may have letters, digits, spaces and -'.&");
    if (known === undefined && isRight !== null) {
      const decided = await listDecided(db, assetId);
      const own = decided.filter((one) => one !== label && vocabulary.findLabel(one) !== one);
      if (own.length >= MAX_OWN_LABELS)
        throw badRequest(`an item has at most ${MAX_OWN_LABELS} labels that no model gives`);
    }
    await saveDecision(db, assetId, { label, isRight }, vocabulary.broader);
  });
}
