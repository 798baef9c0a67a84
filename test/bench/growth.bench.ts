// bun test/bench/growth.bench.ts [ASSETS…]: how many blocks of PostgreSQL each read takes in a library of 20,000 and in
// one of 160,000 assets, first and again in the same process. Prints a line of JSON for each.
import { getAmounts, measureReads } from './growth.ts';

const sizes = process.argv.slice(2).map(Number);
const [smallest = 20_000] = sizes;
for (const assets of sizes.length > 0 ? sizes : [20_000, 160_000]) {
  for (const [name, reads] of await measureReads(assets, getAmounts(smallest))) {
    console.log(JSON.stringify({ assets, name, ...reads }));
  }
}
process.exit(0);
