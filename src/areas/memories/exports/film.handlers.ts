import type { JobHandler } from '../../../jobs/define.ts';
import { probeEncoders } from '../../../media/encoders.ts';
import type { Size } from '../../../media/sizes.ts';
import { FILM } from './film/camera.ts';
import { createFilmWork } from './film/film.domain.ts';
import type { exportFilm } from './jobs.ts';
import { executeRun } from './run.domain.ts';

export const createFilmHandler =
  (frame: Size, findEncoders = probeEncoders): JobHandler<typeof exportFilm> =>
  (ctx, { operationId }) =>
    executeRun(ctx, operationId, createFilmWork(frame, findEncoders));

export const handleExportFilm = createFilmHandler(FILM);
