import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../core/command-line.ts';
import { DEBIAN } from './cluster/binaries.ts';

export type Tool = 'pg_dump' | 'pg_restore';

/** Returns the path of the tool of this version or the next one. pg_dump refuses a server newer than itself. */
export function findClientTool(tool: Tool, serverMajor: number): string {
  const major = listMajors(tool).find((candidate) => candidate >= serverMajor);
  if (major !== undefined) return getPath(tool, major);
  throw new Failure(
    `${tool} for PostgreSQL ${serverMajor} is not installed. ` +
      `Run 'apt-get install postgresql-client-${serverMajor}'.`,
  );
}

/** Returns the path of the newest one: pg_restore reads the archives of all older versions. */
export function findNewestTool(tool: Tool): string {
  const newest = listMajors(tool).at(-1);
  if (newest !== undefined) return getPath(tool, newest);
  throw new Failure(`${tool} is not installed. Run 'apt-get install postgresql-client'.`);
}

const getPath = (tool: Tool, major: number) => join(DEBIAN, String(major), 'bin', tool);

const listMajors = (tool: Tool): number[] =>
  (existsSync(DEBIAN) ? readdirSync(DEBIAN) : [])
    .map(Number)
    .filter((major) => Number.isInteger(major) && existsSync(getPath(tool, major)))
    .toSorted((a, b) => a - b);
