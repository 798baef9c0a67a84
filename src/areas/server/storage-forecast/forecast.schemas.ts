import { t } from 'elysia';
import { Timestamp } from '../../../http/schemas.ts';

export const StorageForecastDto = t.Object(
  {
    /** The last twelve months (UTC), oldest first. */
    months: t.Array(
      t.Object({
        /** Its first day. */
        month: t.String({ format: 'date' }),
        /** By which originals and derived files grew; negative where more was deleted; null: not known. */
        bytes: t.Nullable(t.Integer()),
      }),
    ),
    /** Free space until uploads stop. */
    availableBytes: t.Integer({ minimum: 0 }),
    /** Growth in 30 days. Null while less than four weeks are known. */
    monthlyBytes: t.Nullable(t.Integer()),
    /** Null if it is not known, or not within a hundred years. */
    fullAt: t.Nullable(Timestamp),
  },
  { title: 'StorageForecastDto' },
);
export type StorageForecast = typeof StorageForecastDto.static;
