// Writes the table of settings into the documentation: `make fmt`.
import { join } from 'node:path';
import { settingsTable } from '../src/core/settings.ts';

const path = join(import.meta.dir, '../appliance/docs/configuration.md');
const text = await Bun.file(path).text();
await Bun.write(
  path,
  text.replace(/^\| flag +\|.*\n(?:\|.*\n)+/m, () => `${settingsTable()}\n`),
);
