import type { JobHandler } from '../../../jobs/define.ts';
import { probeEncoders } from '../../../media/encoders.ts';
import { createFilmWork } from './film/film.domain.ts';
import type { exportFilm } from './jobs.ts';
import { executeRun } from './run.domain.ts';

export const createFilmHandler =
  (scale = 1, findEncoders = probeEncoders): JobHandler<typeof exportFilm> =>
  (ctx, { operationId }) =>
    executeRun(ctx, operationId, createFilmWork(scale, findEncoders));

export const handleExportFilm = createFilmHandler();
