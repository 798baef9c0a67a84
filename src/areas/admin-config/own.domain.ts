import type { Ctx } from '../../core/context.ts';
import { invalidField } from '../../core/errors.ts';
import { inTransaction } from '../../db/transaction.ts';
import { startAnalysis } from '../assets/index.ts';
import type { Profile } from '../../core/machine.ts';
import {
  changeConfig,
  listDisabledQueues,
  readConfig,
  applyProfile,
  readProfile,
  OWN_SECTIONS,
  type SafelightConfig,
  hasAccount,
} from '../system-config/index.ts';

/** Shorter keys of HMAC-SHA256 can be guessed from one signature. */
const MIN_SECRET_LENGTH = 16;

/** Returns the configuration beside Immich's document, without secrets. */
export async function getOwnConfig({ db }: Ctx): Promise<SafelightConfig> {
  const { webhooks, ...others } = await readConfig(db, ...OWN_SECTIONS);
  return { webhooks: { ...webhooks, secret: '' }, ...others };
}

/**
 * Replaces the configuration beside Immich's document. An empty secret keeps the stored one. Throws 400
 * for hosts without a secret: their messages could not be told from forged ones; 403 for a protected
 * setting without a recent proof.
 */
export const updateOwnConfig = (ctx: Ctx, wanted: SafelightConfig): Promise<SafelightConfig> =>
  inTransaction(ctx, async (ctx) => {
    const stored = await readConfig(ctx.db, 'webhooks');
    const secret = wanted.webhooks.secret || stored.webhooks.secret;
    const isNeeded = secret !== '' || wanted.webhooks.hosts.length > 0;
    if (isNeeded && secret.length < MIN_SECRET_LENGTH) {
      throw invalidField(
        'webhooks.secret',
        `At least ${MIN_SECRET_LENGTH} characters are required`,
      );
    }
    const { masterUserId } = wanted.physicalDeduplication;
    if (masterUserId && !(await hasAccount(ctx.db, masterUserId))) {
      throw invalidField('physicalDeduplication.masterUserId', 'Unknown account');
    }
    const profile = await readProfile(ctx.db, ctx.settings);
    await changeConfig(ctx, { ...wanted, webhooks: { ...wanted.webhooks, secret } });
    await followProfile(ctx, profile);
    return getOwnConfig(ctx);
  });

/** Recognition that was off begins with what it has not seen. */
async function followProfile(ctx: Ctx, before: Profile): Promise<void> {
  const disabled = await listDisabledQueues(ctx.db);
  await applyProfile(ctx.db, before, await readProfile(ctx.db, ctx.settings), ctx.now());
  if (disabled.isSubsetOf(await listDisabledQueues(ctx.db))) return;
  await startAnalysis(ctx.db);
}
