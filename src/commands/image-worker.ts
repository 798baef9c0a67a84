import type { CommandSpec } from './command.ts';

/** Not for the command line: the server starts it. */
export const command: CommandSpec = {
  help: 'Decodes pictures for a server, which asks on standard input.',
  async run() {
    const { serveImages } = await import('../media/child/serve.ts');
    return serveImages();
  },
};
