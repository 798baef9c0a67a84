import type { CommandSpec } from './command.ts';

/** Not for the command line: the server starts it. */
export const command: CommandSpec = {
  help: 'Reads a ZIP archive for a server, which gets its entries from standard output.',
  words: 1,
  async run({ words: [path = ''] }) {
    const { serveArchive } = await import('../media/child/archive.ts');
    return serveArchive(path);
  },
};
