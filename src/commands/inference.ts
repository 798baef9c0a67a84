import { Failure } from '../core/command-line.ts';
import type { CommandSpec } from './command.ts';

/** Not for the command line: the server starts it. */
export const command: CommandSpec = {
  help: 'Runs the models for a server, over the channel that the server has opened.',
  async run() {
    if (!process.send) throw new Failure('inference is started by the server');
    const { serveInference } = await import('../inference/run/child.ts');
    return serveInference();
  },
};
