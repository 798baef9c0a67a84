import { assets } from '../db/tables/assets.ts';

// The asset table as it is: rows of every account in every state, for the builder and for raw SQL
// (`from ${checkedAssets}` may be read as "asset"). Each name is a reason why a statement is not bound to what
// a session may see; test/architecture.test.ts lists the files by it. Everything else reads `visibleAssets` or
// `ownAssets`.

/**
 * Rows whose ids a scope has returned for this request, or that belong to such a row: halves of a live photo,
 * members of a stack, items of an album or a tag. They are locked or written by id, never searched.
 */
export const checkedAssets = assets;

/** Rows of one account, which the statement names in `owner_id`: counters, uploads, sets of duplicates. */
export const ownerAssets = assets;

/** Rows of all accounts, for jobs, commands and the work of administrators, which nobody's session bounds. */
export const backgroundAssets = assets;

/** Rows of which a file makes scopes of its own, as scope.ts does, with the conditions of access in it. */
export const scopeSource = assets;
