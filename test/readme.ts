// Writes the table of settings into the README: `make fmt`.
import { join } from 'node:path';
import { settingsTable } from '../src/core/settings.ts';

const path = join(import.meta.dir, '../README.md');
const text = await Bun.file(path).text();
await Bun.write(
  path,
  text.replace(/^\| flag \|.*\n(?:\|.*\n)+/m, () => `${settingsTable()}\n`),
);
