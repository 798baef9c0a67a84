import { t } from 'elysia';
import { stringEnum, Timestamp, Uuid } from '../../http/schemas.ts';
import { SETS } from '../../inference/models/catalogue.ts';

const Bytes = t.Integer({ minimum: 0 });
const SetName = stringEnum(SETS, { title: 'ModelSetName' });

const CatalogueModelDto = t.Object(
  {
    /** TASK/NAME. */
    id: t.String(),
    use: t.String(),
    /** Licence of the weights. */
    licence: t.String(),
    origin: t.String(),
    /** Size of the download; null where only the hub knows it. */
    bytes: t.Nullable(Bytes),
    /** Whether this release knows the digest of each file; else the one that the hub states is checked and kept. */
    isDigestKnown: t.Boolean(),
    isInstalled: t.Boolean(),
  },
  { title: 'CatalogueModelDto' },
);

export const ModelPullDto = t.Object(
  {
    id: Uuid,
    set: t.String(),
    state: stringEnum(['queued', 'running', 'completed', 'failed', 'cancelled'], {
      title: 'ModelPullState',
    }),
    error: t.Nullable(t.String()),
    /** Files that are complete. */
    files: t.Integer({ minimum: 0 }),
    /** The one that is being downloaded, with its bytes. */
    file: t.Nullable(t.String()),
    bytes: Bytes,
    totalBytes: t.Nullable(Bytes),
    createdAt: Timestamp,
    finishedAt: t.Nullable(Timestamp),
  },
  { title: 'ModelPullDto' },
);
export type ModelPull = typeof ModelPullDto.static;

const SearchModelDto = t.Object(
  {
    /** clip/NAME, or default. */
    name: t.String(),
    /** Whether new photos are looked at with it, and the search uses it once it has looked at the others. */
    isChosen: t.Boolean(),
    /** Whether it stays for good: what others have found is not kept. */
    isConfirmed: t.Boolean(),
    /** Photos that it has looked at. */
    photos: t.Integer({ minimum: 0 }),
  },
  { title: 'SearchModelDto' },
);

export const ModelOverviewDto = t.Object(
  {
    sets: t.Array(
      t.Object({ name: SetName, models: t.Array(CatalogueModelDto) }, { title: 'ModelSetDto' }),
    ),
    /** The latest download. */
    pull: t.Nullable(ModelPullDto),
    searchModels: t.Array(SearchModelDto),
    /** The choice of an administrator; null: the first CLIP model by name, else the default set. */
    choice: t.Nullable(t.String()),
  },
  { title: 'ModelOverviewDto' },
);
export type ModelOverview = typeof ModelOverviewDto.static;

export const ModelPullCreateDto = t.Object({ set: SetName }, { title: 'ModelPullCreateDto' });

export const SearchModelChoiceDto = t.Object(
  { name: t.Nullable(t.String({ minLength: 1, maxLength: 200 })) },
  { title: 'SearchModelChoiceDto' },
);
