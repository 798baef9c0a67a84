// bun test/bench/compare.bench.ts [group …] [size …] [commit]: measures the binary in dist and that of a commit
// in turns, and prints what is worse by 10 % or more, and what is better. Without a commit, it is the last one
// while the sources have changes, else the one before. All rows are written to .cache/compare/rows.json. On databases
// of the server in TEST_POSTGRES.
import { join } from 'node:path';
import { openDatabase } from '../../src/db/client.ts';
import { toDatabaseUrl } from '../support/harness.ts';
import { COMPARED_SIZES, createGroups, GROUP_NAMES } from './figures/all-groups.ts';
import { parseWanted } from './figures/arguments.ts';
import { formatComparison } from './figures/comparison.ts';
import { measureGroup } from './figures/groups.ts';
import type { Row } from './figures/measures.ts';
import { describeProvenance, formatProvenance } from './figures/provenance.ts';
import type { Target } from './figures/server.ts';
import { buildCommit, BUILDS, getBase, resolveCommit } from './figures/worktree.ts';

const wanted = parseWanted(process.argv.slice(2), GROUP_NAMES);
const base = resolveCommit(wanted.commit ?? getBase());
const targets: readonly Target[] = [
  { label: 'base', binary: await buildCommit(base) },
  { label: 'now', binary: process.env['SAFELIGHT_TEST_BINARY']! },
];

const [before, after]: [Row[], Row[]] = [[], []];
for (const group of createGroups(wanted, COMPARED_SIZES)) {
  const from = performance.now();
  const onFailure = (error: Error) => console.error(`${group.name}:`, error);
  const [old, now] = await measureGroup(group, targets, { rounds: group.rounds, onFailure });
  before.push(...old!);
  after.push(...now!);
  console.error(`${group.name}: ${((performance.now() - from) / 1000).toFixed(0)} s`);
}

const { sql, ...database } = openDatabase(toDatabaseUrl('postgres'), { max: 1 });
for (const { binary, label } of targets) {
  console.log(`${label}: ${formatProvenance(await describeProvenance(binary, sql))}`);
}
await database.close();
await Bun.write(join(BUILDS, 'rows.json'), JSON.stringify({ before, after }, null, 2));
console.log(`\n${formatComparison(before, after)}`);
process.exit(0);
