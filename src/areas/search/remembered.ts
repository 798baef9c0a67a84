import { getScopeKey } from '../../access/batch.ts';
import type { Ctx } from '../../core/context.ts';
import type { Bytes } from '../../core/json-bytes.ts';
import { readFromReplica } from '../../db/replica.ts';
import { defineResponses } from '../../read-cache/responses.ts';
import { isCoveredByLog, listLogScopes } from './match/filter-branches.ts';
import type { Matching } from './match/matching.store.ts';

const remember = defineResponses('searches');

/**
 * Returns the response of `build`, or its bytes again while nothing has changed of what the search selects. `key`: the
 * name of the response, and everything besides the matching that it depends on.
 */
export const rememberSearch = async (
  ctx: Ctx,
  matching: Matching | undefined,
  key: readonly [name: string, ...unknown[]],
  build: () => Promise<Bytes>,
): Promise<Bytes> =>
  matching && isCoveredByLog(matching)
    ? remember(
        ctx,
        { key: [getScopeKey(ctx.session), matching, ...key], owners: listLogScopes(matching) },
        build,
      )
    : build();

/** The same, of which a replica may be read. */
export const rememberReplicated = (
  ctx: Ctx,
  matching: Matching | undefined,
  key: readonly [name: string, ...unknown[]],
  build: (reader: Ctx) => Promise<Bytes>,
): Promise<Bytes> => rememberSearch(ctx, matching, key, () => readFromReplica(ctx, build));
