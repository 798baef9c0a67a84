import { type Static, Type } from 'typebox';
import { defineOperation } from '../../../operations/define.ts';
import type { FileOperation } from '../../../operations/files.store.ts';
import { exportProject } from './jobs.ts';

const Pixels = Type.Integer({ minimum: 2 });

const Payload = Type.Object({
  projectId: Type.String(),
  /** Revision of the project. */
  revision: Type.Integer({ minimum: 1 }),
  width: Pixels,
  height: Pixels,
});

const Progress = Type.Object({
  /** The share that is made, from 0 to 1. */
  share: Type.Number({ minimum: 0, maximum: 1 }),
  /** The item without which it could not be made. */
  unavailableId: Type.Optional(Type.String()),
});

/** Films that are made of projects. */
export const filmKind = defineOperation({
  name: 'studio-film',
  job: exportProject,
  payload: Payload,
  progress: Progress,
  start: { share: 0 },
});

export type FilmOperation = FileOperation<Static<typeof Payload>, Static<typeof Progress>>;

/** Films that can be downloaded are kept so long. */
export const KEPT_MS = 7 * 24 * 60 * 60_000;
