import { Type } from 'typebox';
import { addToAlbums, findOrCreateAlbum } from '../../albums/index.ts';
import { updateAsset } from '../../assets/index.ts';
import { tagManyAssets } from '../../tags/index.ts';
import { CORE_PLUGIN, choice, defineAction, flag } from './define.ts';

const plugin = CORE_PLUGIN;

const archive = defineAction({
  plugin,
  name: 'assetArchive',
  title: 'Archive asset',
  description: 'Change asset visibility to archive',
  permissions: ['asset.update'],
  undoable: true,
  config: Type.Object({
    inverse: flag('Inverse', 'When true will unarchive any archived assets'),
  }),
  async apply(ctx, facts, { inverse = false }) {
    const [from, to] = inverse
      ? (['archive', 'timeline'] as const)
      : (['timeline', 'archive'] as const);
    if (facts.visibility === from) await updateAsset(ctx, facts.id, { visibility: to });
  },
});

const lock = defineAction({
  plugin,
  name: 'assetLock',
  title: 'Move to locked folder',
  description: 'Change visibility to locked',
  permissions: ['asset.update'],
  undoable: false,
  config: Type.Object({}),
  apply: async (ctx, { id }) => {
    await updateAsset(ctx, id, { visibility: 'locked' });
  },
});

const visibility = defineAction({
  plugin,
  name: 'assetVisibility',
  title: 'Update visibility',
  description: 'Change visibility to selected option',
  permissions: ['asset.update'],
  undoable: ({ visibility }) => visibility !== 'locked',
  config: Type.Object({
    visibility: choice(['archive', 'timeline', 'locked'], {
      title: 'Visibility',
      description: 'Asset visibility',
    }),
  }),
  async apply(ctx, facts, config) {
    if (facts.visibility === config.visibility) return;
    await updateAsset(ctx, facts.id, { visibility: config.visibility });
  },
});

const favorite = defineAction({
  plugin,
  name: 'assetFavorite',
  title: 'Favorite',
  description: 'Favorite an asset',
  permissions: ['asset.update'],
  undoable: true,
  config: Type.Object({
    inverse: flag('Inverse', 'When true the asset is no favorite any more'),
  }),
  async apply(ctx, facts, { inverse = false }) {
    if (facts.isFavorite !== inverse) return;
    await updateAsset(ctx, facts.id, { isFavorite: !inverse });
  },
});

const addToAlbum = defineAction({
  plugin,
  name: 'assetAddToAlbums',
  title: 'Add to Album(s)',
  description: 'Add asset to selected albums',
  permissions: ({ albumIds }) =>
    albumIds.length > 0 ? ['albumAsset.create'] : ['albumAsset.create', 'album.create'],
  undoable: true,
  config: Type.Object({
    albumIds: Type.Array(Type.String({ format: 'uuid' }), {
      title: 'Album IDs',
      description: 'Target album IDs',
      uiHint: { type: 'AlbumId' },
      maxItems: 100,
    }),
    albumName: Type.Optional(
      Type.String({
        title: 'Album name',
        description: 'Use an album with this name if one exists, otherwise create a new one',
        maxLength: 255,
      }),
    ),
  }),
  async apply(ctx, { id }, { albumIds, albumName }) {
    if (albumIds.length > 0) return addToAlbums(ctx, albumIds, id);
    if (albumName) await addToAlbums(ctx, [await findOrCreateAlbum(ctx, albumName)], id);
  },
});

const addTags = defineAction({
  plugin,
  name: 'assetAddTags',
  title: 'Add Tags',
  description: 'Add tags to an asset',
  permissions: ['tag.asset'],
  undoable: true,
  config: Type.Object({
    tags: Type.Array(Type.String({ format: 'uuid' }), {
      title: 'Tags',
      description: 'Tags to add to the asset',
      uiHint: { type: 'TagId' },
      maxItems: 100,
    }),
  }),
  apply: async (ctx, { id }, { tags }) => {
    await tagManyAssets(ctx, { tagIds: tags, assetIds: [id] });
  },
});

export const coreActions = [archive, lock, visibility, favorite, addToAlbum, addTags];
