import { Failure } from '../../core/command-line.ts';

/** The database cannot run for a reason that the owner of the machine can remove. */
export class ClusterError extends Failure {
  override readonly name = 'ClusterError';
}
