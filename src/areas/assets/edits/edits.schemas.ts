import { t } from 'elysia';
import { stringEnum, Uuid } from '../../../http/schemas.ts';

const Action = stringEnum(['crop', 'rotate', 'mirror'], { title: 'AssetEditAction' });
const Parameters = t.Union([
  t.Object(
    {
      height: t.Integer({ minimum: 1 }),
      width: t.Integer({ minimum: 1 }),
      x: t.Integer({ minimum: 0 }),
      y: t.Integer({ minimum: 0 }),
    },
    { title: 'CropParameters' },
  ),
  /** Degrees, clockwise. */
  t.Object({ angle: t.Number() }, { title: 'RotateParameters' }),
  t.Object(
    { axis: stringEnum(['horizontal', 'vertical'], { title: 'MirrorAxis' }) },
    { title: 'MirrorParameters' },
  ),
]);

export const AssetEditsCreateDto = t.Object(
  {
    edits: t.Array(
      t.Object({ action: Action, parameters: Parameters }, { title: 'AssetEditActionItemDto' }),
      { minItems: 1, maxItems: 10 },
    ),
  },
  { title: 'AssetEditsCreateDto' },
);
export type EditsCreate = typeof AssetEditsCreateDto.static;

export const AssetEditsResponseDto = t.Object(
  {
    assetId: Uuid,
    edits: t.Array(
      t.Object(
        { action: Action, id: Uuid, parameters: Parameters },
        { title: 'AssetEditActionItemResponseDto' },
      ),
    ),
  },
  { title: 'AssetEditsResponseDto' },
);
export type AssetEdits = typeof AssetEditsResponseDto.static;
