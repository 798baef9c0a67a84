import { t } from 'elysia';
import { Uuid } from '../../../http/schemas.ts';
import { STRAIGHTEN_RANGE, TONE_RANGE } from '../../../media/adjustments.ts';
import { AssetEditsCreateDto } from './edits.schemas.ts';

/** Photos of one request; the page sends more in several. */
export const MAX_ASSETS = 500;

const Tone = t.Integer(TONE_RANGE);
const Straighten = t.Number(STRAIGHTEN_RANGE);

const AdjustmentsDto = t.Object(
  {
    /** Degrees, clockwise. */
    straighten: Straighten,
    exposure: Tone,
    contrast: Tone,
    highlights: Tone,
    shadows: Tone,
    /** Above 0 is warmer. */
    warmth: Tone,
    /** Above 0 is magenta, below it is green. */
    tint: Tone,
    /** -100 is grey. */
    saturation: Tone,
  },
  { title: 'PictureAdjustmentsDto' },
);
/** Values that are left out are 0. */
const AdjustmentsUpdateDto = t.Partial(AdjustmentsDto, { title: 'PictureAdjustmentsUpdateDto' });
export type AdjustmentsUpdate = typeof AdjustmentsUpdateDto.static;

const Edits = t.Array(AssetEditsCreateDto.properties.edits.items, { maxItems: 10 });
const Revision = t.String({ minLength: 1, maxLength: 64 });
const SizeDto = t.Object(
  { width: t.Integer({ minimum: 1 }), height: t.Integer({ minimum: 1 }) },
  { title: 'PictureSizeDto' },
);

export const PictureEditsUpdateDto = t.Object(
  { expectedRevision: Revision, edits: Edits, adjustments: AdjustmentsUpdateDto },
  { title: 'PictureEditsUpdateDto' },
);
export type PictureEditsUpdate = typeof PictureEditsUpdateDto.static;

export const PictureEditsResponseDto = t.Object(
  {
    assetId: Uuid,
    /** Another one when the edits, the adjustments or the size have changed. */
    revision: t.String(),
    /** Pixels of the unedited picture, to which crops refer. */
    size: SizeDto,
    edits: Edits,
    adjustments: AdjustmentsDto,
  },
  { title: 'PictureEditsResponseDto' },
);
export type PictureEditsResponse = typeof PictureEditsResponseDto.static;

export const PictureEditsBulkUpdateDto = t.Object(
  {
    items: t.Array(
      t.Object(
        {
          assetId: Uuid,
          expectedRevision: Revision,
          edits: Edits,
          adjustments: AdjustmentsUpdateDto,
        },
        { title: 'PictureEditsBulkItemDto' },
      ),
      { minItems: 1, maxItems: MAX_ASSETS },
    ),
  },
  { title: 'PictureEditsBulkUpdateDto' },
);
export type PictureEditsBulkUpdate = typeof PictureEditsBulkUpdateDto.static;

export const PictureEditsPasteDto = t.Object(
  {
    assetIds: t.Array(Uuid, { minItems: 1, maxItems: MAX_ASSETS }),
    /** The crop among them is pasted on pictures of the same ratio; turns and mirrors are not. */
    edits: Edits,
    adjustments: AdjustmentsUpdateDto,
    /** Pixels of the picture that the edits are copied from. */
    size: SizeDto,
  },
  { title: 'PictureEditsPasteDto' },
);
export type PictureEditsPaste = typeof PictureEditsPasteDto.static;

export const PictureEditsChangeDto = t.Object(
  {
    changed: t.Array(
      t.Object(
        {
          assetId: Uuid,
          /** After the change. */
          revision: t.String(),
          before: t.Object(
            { edits: Edits, adjustments: AdjustmentsDto },
            { title: 'FormerPictureEditsDto' },
          ),
        },
        { title: 'PictureEditsChangedItemDto' },
      ),
    ),
    skipped: t.Array(
      t.Object(
        {
          assetId: Uuid,
          /** 'unsupported': it cannot be edited. 'stale': it has changed since. */
          reason: t.Union([t.Literal('unsupported'), t.Literal('stale')]),
        },
        { title: 'PictureEditsSkippedItemDto' },
      ),
    ),
  },
  { title: 'PictureEditsChangeDto' },
);
export type PictureEditsChange = typeof PictureEditsChangeDto.static;
