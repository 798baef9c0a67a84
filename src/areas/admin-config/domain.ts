import type { Session } from '../../access/session.ts';
import type { Deps, Ctx } from '../../core/context.ts';
import { invalidField } from '../../core/errors.ts';
import type { Settings } from '../../core/settings.ts';
import { inTransaction } from '../../db/transaction.ts';
import { startAnalysis } from '../assets/index.ts';
import { requireValidMail, withStoredPassword } from '../mail/index.ts';
import {
  changeConfig,
  listDisabledQueues,
  listLocked,
  OPERATOR,
  readConfig,
  requireMayChange,
  SECTIONS,
  DEFAULTS,
  applyDifferences,
  findDifferences,
  type Members,
  type AdminConfig,
  type AdminConfigInput,
  type LockedConfigMember,
  applyProfile,
  readProfile,
  OWN_SECTIONS,
  type SafelightConfig,
  hasAccount,
} from '../system-config/index.ts';
import { readPath, withValue } from './paths.ts';
import { requireValidValues } from './validation.ts';
import type { Profile } from '../../core/machine.ts';

type ConfigCtx = Pick<Deps, 'db' | 'settings' | 'now'>;
export type ConfigChangeCtx = ConfigCtx & { readonly session: Session | typeof OPERATOR };

/** Returns the configuration in force, without secrets. */
export const getConfig = async ({ db, settings }: ConfigCtx): Promise<AdminConfig> =>
  withLocked(settings, withoutSecrets(await readConfig(db, ...SECTIONS)));

/** Returns what administrators have changed, without secrets: differences from the defaults. */
export const exportConfig = async ({ db }: Pick<ConfigCtx, 'db'>): Promise<Members> =>
  findDifferences(DEFAULTS, withoutSecrets(await readConfig(db, ...SECTIONS)));

/**
 * Replaces the configuration. An empty secret keeps the stored one as long as the login that it belongs to
 * stays the same. Throws 400 for a value that cannot work, and for one that the command line sets; 403
 * for a protected setting without a recent proof.
 */
export async function updateConfig(
  ctx: ConfigChangeCtx,
  input: AdminConfigInput,
): Promise<AdminConfig> {
  const wanted: AdminConfig = applyDifferences(DEFAULTS, input);
  requireUnlocked(ctx, wanted);
  requireValidValues(wanted);
  const smtp = await withStoredPassword(ctx.db, wanted.notifications.smtp);
  const config = {
    ...wanted,
    notifications: { smtp },
    oauth: await withStoredSecret(ctx, wanted.oauth),
    server: {
      ...wanted.server,
      externalDomain: wanted.server.externalDomain.replace(/\/+$/, ''),
    },
  };
  // Before the mail server is asked.
  await requireMayChange(ctx, config);
  await requireValidMail(ctx.db, { smtp, templates: wanted.templates.email }, PATHS_OF_MAIL);
  return inTransaction(ctx, async (ctx) => {
    const before = await listDisabledQueues(ctx.db);
    await changeConfig(ctx, config);
    const after = await listDisabledQueues(ctx.db);
    if (!before.isSubsetOf(after)) {
      await startAnalysis(ctx.db);
    }
    return getConfig(ctx);
  });
}

const PATHS_OF_MAIL = { smtp: 'notifications.smtp', templates: 'templates.email' };

export const getDefaults = (): AdminConfig => DEFAULTS;

/** Returns the members that the command line or the environment sets, with their flag. */
export const getLocked = ({ settings }: ConfigCtx): LockedConfigMember[] =>
  listLocked(settings).map(({ path, flag }) => ({ path, flag }));

/** Members that are written, never read. */
export const SECRETS = ['notifications.smtp.transport.password', 'oauth.clientSecret'] as const;

const withoutSecrets = (config: AdminConfig): AdminConfig =>
  SECRETS.reduce((shown, path) => withValue(shown, path, ''), config);

/** Returns the document with the values that the command line or the environment sets. */
export const withLocked = (settings: Settings, config: AdminConfig): AdminConfig =>
  listLocked(settings).reduce((shown, { path, value }) => withValue(shown, path, value), config);

async function withStoredSecret(
  { db }: ConfigCtx,
  oauth: AdminConfig['oauth'],
): Promise<AdminConfig['oauth']> {
  const { oauth: stored } = await readConfig(db, 'oauth');
  const isSame = oauth.clientId === stored.clientId && oauth.issuerUrl === stored.issuerUrl;
  return oauth.clientSecret === '' && isSame
    ? { ...oauth, clientSecret: stored.clientSecret }
    : oauth;
}

function requireUnlocked({ settings }: ConfigCtx, config: AdminConfig): void {
  for (const { path, flag, value } of listLocked(settings)) {
    if (readPath(config, path) !== value) throw invalidField(path, `Set by ${flag}`);
  }
}

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
