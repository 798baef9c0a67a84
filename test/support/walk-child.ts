import { explainFault } from '../../src/areas/libraries/scan/record.domain.ts';
import { createWalkReport, walkFolder } from '../../src/areas/libraries/scan/walk.ts';

// Tells what a walk through a folder sees. A process of its own, as a service without the rights of root is one.

const [root = '', ...exclusionPatterns] = process.argv.slice(2);
const report = createWalkReport();
const options = { exclusionPatterns, signal: new AbortController().signal, report };
const found = (await Array.fromAsync(walkFolder(root, 100, options))).flat();
const paths = found.map(({ path }) => path.slice(root.length + 1)).sort();
console.log(
  JSON.stringify({ paths, faults: report.faults.map(explainFault), notes: report.notes }),
);
