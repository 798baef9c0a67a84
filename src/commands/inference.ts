import type { CommandSpec } from './command.ts';

/** Not for the command line: the server starts it. */
export const command: CommandSpec = {
  help: 'Runs the models for a server, which asks on standard input.',
  async run() {
    const { serveInference } = await import('../inference/run/child.ts');
    return serveInference();
  },
};
