import type { Machine } from './models/prepared.ts';

/** The models of a task are not installed; the task is made up for once they are. */
export class ModelMissing extends Error {
  override readonly name = 'ModelMissing';
}

/** The child process ended, or did not answer in time, twice in a row with the same call. */
export class InferenceCrashed extends Error {
  override readonly name = 'InferenceCrashed';
}

/** The picture cannot be decoded; a retry would fail, too. */
export class PictureUnreadable extends Error {
  override readonly name = 'PictureUnreadable';
}

/** A model has to be prepared for the machine before it is run. */
export class ModelUnprepared extends Error {
  override readonly name = 'ModelUnprepared';
  readonly path: string;
  readonly machine: Machine;

  constructor(path: string, machine: Machine) {
    super(`${path} is not prepared`);
    this.path = path;
    this.machine = machine;
  }
}
