import { t } from 'elysia';
import { stringEnum } from '../../http/schemas.ts';

/** YYYY-MM-DD; the domain refuses days that do not exist. */
const Day = t.String({ format: 'date', pattern: '^\\d{4}-\\d\\d-\\d\\d$' });

export const HeatmapQuery = t.Object({
  from: t.Optional(Day),
  to: t.Optional(Day),
  type: t.Optional(
    stringEnum(['Upload', 'Taken'], {
      title: 'CalendarHeatmapType',
      default: 'Upload',
    }),
  ),
});
export type HeatmapFilter = typeof HeatmapQuery.static;

const Count = t.Integer({ minimum: 0 });

export const CalendarHeatmapResponseDto = t.Object(
  {
    from: t.String(),
    to: t.String(),
    series: t.Array(t.Object({ date: t.String(), count: Count })),
    totalCount: Count,
  },
  { title: 'CalendarHeatmapResponseDto' },
);
export type Heatmap = typeof CalendarHeatmapResponseDto.static;
