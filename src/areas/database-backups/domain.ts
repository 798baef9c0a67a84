import type { Deps } from '../../core/context.ts';
import { badRequest } from '../../core/errors.ts';
import { writeState } from '../../maintenance/state.ts';
import { signToken } from '../../maintenance/token.ts';
import { hasAdmin } from '../server/index.ts';

/** The one who sets up a server, which has no accounts yet. */
const USERNAME = 'administrator';

/**
 * Switches a server without an administrator to maintenance mode, where a backup can be uploaded and
 * restored. Returns the token for it.
 */
export async function startRestoreFlow({ db, paths, now }: Deps): Promise<string> {
  if (await hasAdmin(db)) throw badRequest('The server already has an admin');
  const { secret } = writeState(paths, { action: 'select_database_restore' });
  return signToken(secret, { username: USERNAME }, now());
}
