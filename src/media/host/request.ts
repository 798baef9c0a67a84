import { isAbsolute } from 'node:path';
import { findGuardedPath } from '../../core/guarded-path.ts';
import { PROGRAMS, type ProgramRequest } from '../programs.ts';

const LIMITS = ['cpuSeconds', 'memoryBytes', 'dataBytes', 'fileBytes', 'nice'] as const;

/** Returns a request of one of our programs with nothing besides. Throws an Error with the reason. */
export function parseRequest(text: string): ProgramRequest {
  const { program, args, limits, files, cwd, umask, stdin, stderr } = toObject(JSON.parse(text));
  const known = typeof program === 'string' && PROGRAMS.get(program);
  if (!known) throw new Error(`There is no program ${JSON.stringify(program)}`);
  const words = toStrings(args);
  if (known.accepts && !known.accepts(words)) throw new Error(`These are no options of ${program}`);
  const { read = [], write = [], usesGpu } = toObject(files);
  return {
    program,
    args: words,
    limits: toLimits(toObject(limits)),
    files: { read: toPaths(read), write: toPaths(write), usesGpu: usesGpu === true },
    cwd: cwd === undefined ? undefined : toPaths([cwd])[0],
    umask: toUmask(umask),
    stdin: stdin === 'pipe' ? 'pipe' : 'ignore',
    stderr: stderr === 'pipe' || stderr === 'inherit' ? stderr : 'ignore',
  };
}

function toUmask(value: unknown): number {
  if (typeof value !== 'number' || (value & 0o007) !== 0o007)
    throw new Error('A umask without rights of others is expected');
  return value & 0o777;
}

function toObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new Error('An object is expected');
  return value as Record<string, unknown>;
}

function toStrings(value: unknown): string[] {
  const isText = (word: unknown) => typeof word === 'string' && !word.includes('\0');
  if (!Array.isArray(value) || !value.every(isText)) throw new Error('Texts are expected');
  return value as string[];
}

function toPaths(value: unknown): string[] {
  const paths = toStrings(value);
  if (!paths.every((path) => isAbsolute(findGuardedPath(path) ?? path)))
    throw new Error('Absolute paths are expected');
  return paths;
}

const toLimits = (limits: Record<string, unknown>): ProgramRequest['limits'] =>
  Object.fromEntries(
    LIMITS.filter((name) => limits[name] !== undefined).map((name) => {
      const value = limits[name];
      if (!(typeof value === 'number' && value >= 0 && Number.isFinite(value)))
        throw new Error(`${name} has to be a number, 0 or more`);
      return [name, value];
    }),
  );
