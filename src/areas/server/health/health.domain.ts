import { z } from 'zod';
import type { Ctx } from '../../../core/context.ts';
import { AppError } from '../../../core/errors.ts';
import { maskSecrets } from '../../../core/recent-log.ts';
import type { Settings } from '../../../core/settings.ts';
import { type Limits, runDoctor } from './doctor-process.ts';
import type { Health } from './health.schemas.ts';

const Checks = z.array(
  z.object({
    name: z.string(),
    state: z.enum(['ok', 'absent', 'missing']),
    detail: z.string(),
    remedy: z.string().optional(),
  }),
);

/**
 * Runs under way, by the settings of the server: all who ask meanwhile get the result of the same one. Another process
 * runs its own, which is of its machine.
 */
const running = new WeakMap<Settings, Promise<Health>>();

/** Returns the results of `safelight doctor`. One run at a time: it starts the process of the models. */
export function checkHealth(
  { settings, now }: Pick<Ctx, 'settings' | 'now'>,
  limits?: Limits,
): Promise<Health> {
  const known = running.get(settings);
  if (known) return known;
  const run = check(settings, now, limits).finally(() => running.delete(settings));
  running.set(settings, run);
  return run;
}

async function check(settings: Settings, now: () => Date, limits?: Limits): Promise<Health> {
  const found = Checks.safeParse(await runDoctor(settings, limits));
  if (!found.success) {
    throw new AppError('failed', 'The checks could not be run', { cause: found.error });
  }
  return {
    checkedAt: now().toISOString(),
    // Messages of a database driver may hold its address.
    checks: found.data.map(({ remedy, ...one }) => ({
      ...one,
      detail: maskSecrets(one.detail),
      ...(remedy !== undefined && { remedy }),
    })),
  };
}
