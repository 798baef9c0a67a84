/**
 * The asset table as it is: rows of every account in every state, for the builder and for raw SQL
 * (`from ${unscopedAssets}` may be read as "asset"). Only for statements that are not bound to what a
 * session may see: writes after a check, locks, background work. test/architecture.test.ts lists the
 * files that use it; everything else reads `visibleAssets` or `ownAssets`.
 */
export { assets as unscopedAssets } from '../db/tables/assets.ts';
