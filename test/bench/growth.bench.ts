// bun test/bench/growth.bench.ts [small] [large]: how many blocks of PostgreSQL each read takes in a library of 20,000
// and in one of 160,000 assets, first and again in the same process. A read may take as many more as its answer is
// longer, or 1.5 times as many: `ratio` is what is left. Prints a line of JSON for each, the worst last.
import { measureGrowth } from './growth.ts';

const [small = 20_000, large = 160_000] = process.argv.slice(2).map(Number);
for (const row of await measureGrowth(small, large)) console.log(JSON.stringify(row));
process.exit(0);
