import {
  type ConfigChangeCtx,
  exportConfig,
  getConfig,
  SECRETS,
  updateConfig,
  withLocked,
} from '../areas/admin-config/domain.ts';
import {
  OPERATOR,
  DEFAULTS,
  applyDifferences,
  isMembers,
  type Members,
  type AdminConfig,
  AdminConfigDto,
} from '../areas/system-config/index.ts';
import {
  findUnknownPath,
  isPath,
  readPath,
  suggestPath,
  withValue,
} from '../areas/admin-config/paths.ts';
import { Failure, UsageError } from '../core/command-line.ts';
import { AppError } from '../core/errors.ts';
import type { FieldError } from '../http/error-body.ts';
import { toFieldError } from '../http/request-reader.ts';
import { checkTexts, validationFailed } from '../http/text-check.ts';
import { toZod } from '../http/zod-schema.ts';
import { type CommandSpec, print } from './command.ts';
import { withDatabase } from './database.ts';

export const command: CommandSpec = {
  usage: '(get [path] | set <path> <value> | export | import <file>)',
  help: `get     prints a setting, as trash.days, or a whole section, as trash; without a path all of them
set     changes a setting, or members of a section. The value is JSON or plain text; - reads it from
        standard input, for passwords the only way
export  prints what differs from the defaults as JSON, without passwords
import  replaces the configuration by an export; - reads standard input. What the file does not have
        becomes the default; passwords stay

These are the settings that administrators change on the page. A running server follows at once. What
its command line or environment sets is locked: give this command the same.`,
  words: 3,
  async run({ settings, words: [name = '', ...words] }) {
    const action = ACTIONS.get(name);
    if (!action) throw new UsageError('Say what to do: get, set, export or import');
    const unexpected = words[action.words];
    if (unexpected !== undefined) throw new UsageError(`Unexpected argument '${unexpected}'`);
    const prepared = await action.prepare(...words);
    return withDatabase(settings, async ({ db }) => {
      print(
        await prepared({ db, settings, now: () => new Date(), session: OPERATOR }).catch(
          rethrowRefused,
        ),
      );
      return 0;
    });
  },
};

type Action = {
  /** Number of arguments. */
  readonly words: number;
  /** Checks the command line first, so that nothing is started for a wrong one. */
  readonly prepare: (...words: string[]) => Promise<(ctx: ConfigChangeCtx) => Promise<string>>;
};

const ACTIONS = new Map<string, Action>([
  ['get', { words: 1, prepare: get }],
  ['set', { words: 2, prepare: set }],
  ['export', { words: 0, prepare: async () => async (ctx) => format(await exportConfig(ctx)) }],
  ['import', { words: 1, prepare: importFile }],
]);

async function get(path?: string) {
  if (path !== undefined) requirePath(path);
  if (isSecret(path)) throw new UsageError(`${path} can be set, but not read`);
  return async (ctx: ConfigChangeCtx) => {
    const config = await getConfig(ctx);
    return format(path === undefined ? config : readPath(config, path));
  };
}

async function set(path?: string, given?: string) {
  if (path === undefined || given === undefined) {
    throw new UsageError('set needs a path and a value');
  }
  requirePath(path);
  const value = parseValue(path, given === '-' ? await readText('-') : given);
  if (isMembers(value)) requireKnownPaths(value, `${path}.`);
  if (given !== '-' && hasSecret(change(DEFAULTS, path, value))) {
    throw new UsageError(
      `Other users of the machine can read the command line: 'set ${path} -' reads standard input`,
    );
  }
  return async (ctx: ConfigChangeCtx) => {
    const wanted = parseDocument(change(await getConfig(ctx), path, value));
    const updated = await updateConfig(ctx, wanted);
    return isSecret(path) ? `${path} is set` : `${path} is ${format(readPath(updated, path))}`;
  };
}

async function importFile(file?: string) {
  if (file === undefined) throw new UsageError('import needs the file to read');
  const differences = parseFile(await readText(file));
  requireKnownPaths(differences);
  return async (ctx: ConfigChangeCtx) => {
    const defaults = withLocked(ctx.settings, DEFAULTS);
    await updateConfig(ctx, parseDocument(applyDifferences(defaults, differences)));
    return 'the configuration is replaced';
  };
}

/** Replaces a value; of a section, only the members that are given. */
function change(config: AdminConfig, path: string, value: unknown): AdminConfig {
  const before = readPath(config, path);
  const isSection = isMembers(before) && isMembers(value);
  return withValue(config, path, isSection ? applyDifferences(before, value) : value);
}

/** Plain text where a text is expected, as 720 for ffmpeg.targetResolution. */
function parseValue(path: string, text: string): unknown {
  const value = parseJson(text);
  const isText = typeof readPath(DEFAULTS, path) === 'string';
  return value === undefined || (isText && typeof value !== 'string') ? text : value;
}

function parseFile(text: string): Members {
  const value = parseJson(text);
  if (isMembers(value)) return value;
  throw new UsageError('import needs a JSON object, as export prints it');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Checks the types of the document as the API does. */
function parseDocument(config: unknown): AdminConfig {
  checkTexts(config);
  const result = toZod(AdminConfigDto, { from: 'json', refusesUnknown: false }).safeParse(config);
  if (!result.success) throw validationFailed(result.error.issues.map(toFieldError));
  return result.data as AdminConfig;
}

function requirePath(path: string): void {
  if (!isPath(path)) throw unknownPath(path);
}

function requireKnownPaths(differences: Members, prefix?: string): void {
  const unknown = findUnknownPath(differences, prefix);
  if (unknown !== undefined) throw unknownPath(unknown);
}

const unknownPath = (path: string) =>
  new UsageError(`There is no setting '${path}'. Did you mean ${suggestPath(path)}?`);

const isSecret = (path: string | undefined) => SECRETS.some((secret) => secret === path);

const hasSecret = (config: AdminConfig) =>
  SECRETS.some((secret) => (readPath(config, secret) ?? '') !== '');

const format = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2);

async function readText(file: string): Promise<string> {
  const text = await (file === '-' ? Bun.stdin : Bun.file(file)).text().catch((error: Error) => {
    throw new Failure(`Cannot read ${file}: ${error.message}`);
  });
  return text.replace(/\r?\n$/, '');
}

function rethrowRefused(error: unknown): never {
  if (!(error instanceof AppError)) throw error;
  const fields = error.detail['errors'] as readonly FieldError[] | undefined;
  if (!fields) throw new Failure(error.message);
  throw new UsageError(
    fields.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'),
  );
}
