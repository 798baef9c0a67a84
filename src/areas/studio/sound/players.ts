import type { Deps } from '../../../core/context.ts';
import { conflict, unavailable } from '../../../core/errors.ts';
import { perDatabase } from '../../../db/per-database.ts';

// Sounds that are being played. One process plays them: they end with it.

export type Player = {
  readonly accountId: string;
  readonly projectId: string;
  /** Its reason is the answer to a request whose sound has not begun. */
  readonly closing: AbortController;
  readonly ended: PromiseWithResolvers<void>;
};

const getPlayers = perDatabase((): Set<Player> => new Set());

/**
 * Registers a player; one of the account that plays the same project is ended. Returns undefined if the account has
 * `most` others.
 */
export function openPlayer(
  { sql }: Pick<Deps, 'sql'>,
  { accountId, projectId, most }: Pick<Player, 'accountId' | 'projectId'> & { most: number },
): Player | undefined {
  const players = getPlayers(sql);
  const own = [...players].filter((player) => player.accountId === accountId);
  const superseded = own.filter((player) => player.projectId === projectId);
  if (own.length - superseded.length >= most) return undefined;
  const reason = conflict('The sound of the project is played elsewhere', { code: 'superseded' });
  for (const { closing } of superseded) closing.abort(reason);
  const player: Player = {
    accountId,
    projectId,
    closing: new AbortController(),
    ended: Promise.withResolvers(),
  };
  players.add(player);
  return player;
}

/** Forgets a player that has ended. */
export function closePlayer({ sql }: Pick<Deps, 'sql'>, player: Player): void {
  getPlayers(sql).delete(player);
  player.ended.resolve();
}

/** Ends all, and resolves when they have ended. */
export async function stopPlayers({ sql }: Pick<Deps, 'sql'>): Promise<void> {
  const players = [...getPlayers(sql)];
  for (const { closing } of players) closing.abort(unavailable('The server is stopping'));
  await Promise.all(players.map(({ ended }) => ended.promise));
}
