import { t } from 'elysia';

export const LabelsQuery = t.Object({
  /** Language of the names, as 'de'. */
  language: t.Optional(t.String({ maxLength: 20 })),
});

const Label = t.String({ minLength: 1, maxLength: 100 });
/** Null: the caller has said nothing. */
const IsRight = t.Nullable(t.Boolean());

export const AssetLabelDto = t.Object(
  {
    label: Label,
    /** In the language asked for, as far as it is known. */
    name: t.String(),
    /** Probability, after what the caller says. */
    score: t.Number({ minimum: 0, maximum: 1 }),
    isRight: IsRight,
  },
  { title: 'AssetLabelDto' },
);
export type AssetLabel = typeof AssetLabelDto.static;

export const AssetLabelUpdateDto = t.Object(
  {
    label: Label,
    isRight: IsRight,
    /** Language of the label, as 'de', if it is no English one. */
    language: LabelsQuery.properties.language,
  },
  { title: 'AssetLabelUpdateDto' },
);
export type AssetLabelUpdate = typeof AssetLabelUpdateDto.static;
