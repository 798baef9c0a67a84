// bun test/bench/figures.bench.ts [group …] [size …] [commit]: the table of figures of the binary in dist, or of
// that of a commit. All groups together are written to figures.md, with the name of the commit if one was
// given; some of them are printed only. On databases of the server in TEST_POSTGRES.
import { join } from 'node:path';
import { openDatabase } from '../../src/db/client.ts';
import { toDatabaseUrl } from '../support/harness.ts';
import { createGroups, GROUP_NAMES, SIZES } from './figures/all-groups.ts';
import { parseWanted } from './figures/arguments.ts';
import { measureGroup } from './figures/groups.ts';
import type { Row } from './figures/measures.ts';
import { describeProvenance, formatProvenance } from './figures/provenance.ts';
import type { Target } from './figures/server.ts';
import { formatTables } from './figures/table.ts';
import { buildCommit, resolveCommit } from './figures/worktree.ts';

const wanted = parseWanted(process.argv.slice(2), GROUP_NAMES);
const commit = wanted.commit && resolveCommit(wanted.commit);
const target: Target = {
  label: 'now',
  binary: commit ? await buildCommit(commit) : process.env['SAFELIGHT_TEST_BINARY']!,
};

const rows: Row[] = [];
let hasFailed = false;
for (const group of createGroups(wanted, SIZES)) {
  const from = performance.now();
  const onFailure = (error: Error) => {
    hasFailed = true;
    console.error(`${group.name}:`, error);
  };
  const [measured] = await measureGroup(group, [target], { rounds: 1, onFailure });
  rows.push(...measured!);
  console.error(`${group.name}: ${((performance.now() - from) / 1000).toFixed(0)} s`);
}

const { sql, ...database } = openDatabase(toDatabaseUrl('postgres'), { max: 1 });
const provenance = await describeProvenance(target.binary, sql);
await database.close();
const text = `# Figures

Written by \`make bench ARGS=figures\`. CPU, statements, blocks and bytes are those of one request, photo or job;
they depend little on the machine. Times and rates do.

The commit is "${provenance.title}".

${formatTables(rows, formatProvenance(provenance))}
`;
if (wanted.groups.length === 0 && wanted.sizes.length === 0) {
  const file = join(import.meta.dir, commit ? `figures-${commit}.md` : 'figures.md');
  await Bun.write(file, text);
  console.log(`written to ${file}`);
} else {
  console.log(text);
}
process.exit(hasFailed ? 1 : 0);
