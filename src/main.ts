import { silenceTelemetry } from '../native/cenv.ts';
import type { CommandSpec } from './commands/command.ts';
import { COMMANDS } from './commands/table.ts';
import { explainDiskError } from './core/disk-errors.ts';
import { describeFlags, Failure, UsageError } from './core/command-line.ts';
import { describeError, writeToStandardError } from './core/log.ts';
import { loadCommand, SETTING_FLAGS } from './core/settings.ts';

// Before any library that could read it is loaded, and before any thread exists.
silenceTelemetry();

// The reader of our output may close it: 'safelight openapi | head', a log that nobody collects.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

process.exitCode = await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<number> {
  const [first] = argv;
  const named = first !== undefined && !first.startsWith('-');
  const name = named ? first : 'serve';
  const rest = named ? argv.slice(1) : argv;
  const wantsHelp = rest.includes('--help') || rest.includes('-h');
  if (name === 'help' || (!named && wantsHelp)) return printHelp();
  if (!named && rest[0] === '--version') return main(['version']);
  try {
    const entry = COMMANDS.get(name);
    if (!entry) throw new UsageError(`Unknown command '${name}'`);
    const { command } = await entry.load();
    if (wantsHelp) return printCommandHelp(name, command);
    return await command.run(loadCommand(rest, process.env, command));
  } catch (error) {
    return reportError(name, error);
  }
}

function reportError(name: string, error: unknown): number {
  if (error instanceof UsageError) {
    const help = `safelight ${COMMANDS.has(name) ? `${name} ` : ''}--help`;
    writeToStandardError(`${error.message}\nSee '${help}'.\n`, 'error');
    return 2;
  }
  // Any other error is a bug: show where.
  const known = error instanceof Failure ? error.message : explainDiskError(error);
  const text = known ?? (error instanceof Error ? describeError(error) : String(error));
  writeToStandardError(`${text}\n`, 'error');
  return 1;
}

function printHelp(): number {
  const commands = [...COMMANDS].flatMap(([name, { summary }]) =>
    summary ? [`  ${name.padEnd(13)}${summary}`] : [],
  );
  console.log(`Safelight: a library for your photos and videos.

usage: safelight [command] [flags]

${commands.join('\n')}

'safelight <command> --help' says more. Settings, for every command:

${describeFlags(SETTING_FLAGS)}

Each has an environment variable too: see configuration.md. Flags go first.`);
  return 0;
}

function printCommandHelp(name: string, { usage, help, flags }: CommandSpec): number {
  const own = flags?.length ? `\n\nflags:\n\n${describeFlags(flags)}` : '';
  console.log(`usage: safelight ${name} ${usage ? `${usage} ` : ''}[flags]

${help}${own}

settings:

${describeFlags(SETTING_FLAGS)}`);
  return 0;
}
