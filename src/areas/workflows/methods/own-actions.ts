import { Type } from 'typebox';
import { addToAlbums, findOrCreateAlbum } from '../../albums/index.ts';
import { updateAsset } from '../../assets/index.ts';
import { notify } from '../../notifications/index.ts';
import { stackBurst } from '../../stacks/index.ts';
import { tagManyAssets, upsertTags } from '../../tags/index.ts';
import { defineAction, OWN_PLUGIN } from './define.ts';
import { fillTemplate, PLACEHOLDERS, requireKnownPlaceholders } from './name-template.ts';

const plugin = OWN_PLUGIN;

const addToNamedAlbum = defineAction({
  plugin,
  name: 'addToNamedAlbum',
  title: 'Add to an album by its name',
  description: 'Add the item to an album, which is created when there is none of the name',
  permissions: ['albumAsset.create', 'album.create'],
  undoable: true,
  config: Type.Object({
    name: Type.String({
      title: 'Name',
      description: `May contain ${PLACEHOLDERS}; an item that lacks one is not added`,
      minLength: 1,
      maxLength: 255,
    }),
  }),
  check: ({ name }) => requireKnownPlaceholders(name, 'name'),
  async apply(ctx, facts, config) {
    const name = fillTemplate(config.name, facts);
    if (name !== undefined) await addToAlbums(ctx, [await findOrCreateAlbum(ctx, name)], facts.id);
  },
});

const addNamedTags = defineAction({
  plugin,
  name: 'addNamedTags',
  title: 'Add tags by their names',
  description: 'Add tags to the item, which are created when there are none of the names',
  permissions: ['tag.asset', 'tag.create'],
  undoable: true,
  config: Type.Object({
    tags: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
      title: 'Tags',
      description: `Names, with / between levels; may contain ${PLACEHOLDERS}`,
      maxItems: 50,
    }),
  }),
  check: ({ tags }) => {
    for (const [index, tag] of tags.entries()) requireKnownPlaceholders(tag, `tags.${index}`);
  },
  async apply(ctx, facts, { tags }) {
    const names = tags.flatMap((tag) => fillTemplate(tag, facts) ?? []);
    const tagIds = (await upsertTags(ctx, names)).map(({ id }) => id);
    await tagManyAssets(ctx, { tagIds, assetIds: [facts.id] });
  },
});

const rate = defineAction({
  plugin,
  name: 'rate',
  title: 'Rate',
  description: 'Give the item stars',
  permissions: ['asset.update'],
  undoable: true,
  config: Type.Object({
    rating: Type.Integer({ title: 'Stars', description: '0 for none', minimum: 0, maximum: 5 }),
  }),
  async apply(ctx, facts, { rating }) {
    if ((facts.rating ?? 0) === rating) return;
    await updateAsset(ctx, facts.id, { rating: rating === 0 ? null : rating });
  },
});

const describe = defineAction({
  plugin,
  name: 'describe',
  title: 'Describe',
  description: 'Give the item a description if it has none',
  permissions: ['asset.update'],
  undoable: true,
  config: Type.Object({
    description: Type.String({
      title: 'Description',
      description: `May contain ${PLACEHOLDERS}`,
      minLength: 1,
      maxLength: 2_000,
    }),
  }),
  check: ({ description }) => requireKnownPlaceholders(description, 'description'),
  async apply(ctx, facts, config) {
    const description = fillTemplate(config.description, facts);
    if (facts.description !== '' || description === undefined) return;
    await updateAsset(ctx, facts.id, { description });
  },
});

const tell = defineAction({
  plugin,
  name: 'notify',
  title: 'Notify',
  description: 'Notify me; many items are one notification until it is read',
  permissions: [],
  undoable: false,
  config: Type.Object({
    message: Type.String({ title: 'Message', description: 'Text', minLength: 1, maxLength: 500 }),
  }),
  async apply({ db, now, session }, facts, { message }) {
    if (session.kind !== 'user') return;
    const event = {
      userId: session.userId,
      kind: 'workflow',
      title: message,
      data: { assetId: facts.id, count: 1 },
      key: `workflow ${message}`,
    } as const;
    await notify(db, event, now());
  },
});

const burst = defineAction({
  plugin,
  name: 'stackBurst',
  title: 'Stack with its burst',
  description: 'Stack the photo with the others of its burst, the earliest on top',
  permissions: ['stack.create'],
  undoable: false,
  config: Type.Object({
    seconds: Type.Optional(
      Type.Number({
        title: 'Seconds',
        description: 'Time between shots where the camera does not mark a burst',
        minimum: 0,
        maximum: 60,
        default: 2,
      }),
    ),
  }),
  apply: (ctx, facts, { seconds = 2 }) => stackBurst(ctx, facts.id, seconds),
});

export const ownActions = [addToNamedAlbum, addNamedTags, rate, describe, tell, burst];
