/** Where `safelight storage move` moves files to. */
export type MoveTarget = 's3' | 'files';

/** The name of the pool of connections of a move, before its target: so servers see that it runs. */
export const MOVE_POOL = 'storage move to ';
