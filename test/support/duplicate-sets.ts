import { expect } from 'bun:test';
import type { App } from '../../src/app.ts';
import { call, type Reply, type TestDatabase, type TestUser } from './harness.ts';
import type { Json } from './json.ts';
import { addAssetWithFeature, matchAll, saveFeature } from './similar-assets.ts';

type Me = { readonly database: TestDatabase; readonly app: App; readonly me: TestUser };

type WithAssets = { readonly assets: readonly { readonly id: string }[] };
export const getIds = ({ assets }: WithAssets): string[] => assets.map(({ id }) => id).sort();

/** Pictures of `me`, and the sets of duplicates of `me` or of another account. */
export function duplicateSets(get: () => Me) {
  const list = async (as = get().me): Promise<Json[]> => {
    const { status, body } = await call(get().app, 'GET /duplicates', { as });
    expect(status).toBe(200);
    return body;
  };
  return {
    addPicture: (vector: readonly number[], over: object = {}) =>
      addAssetWithFeature(get().database, vector, { ownerId: get().me.id, ...over }),
    measure: (assetId: string, vector: readonly number[]) =>
      saveFeature(get().database, { assetId, ownerId: get().me.id }, vector),
    matchAll: () => matchAll(get().database),
    list,
    listSets: async (as = get().me) => (await list(as)).map(getIds),
    remove: (ids: readonly string[], as = get().me): Promise<Reply> =>
      call(get().app, 'DELETE /duplicates', { as, body: { ids } }),
  };
}
