import { describeCheck, runChecks } from './doctor.checks.ts';
import { type CommandSpec, print } from './command.ts';

export const command: CommandSpec = {
  help: `Checks the tools, folders and the database that the server needs, and says how to get what is
missing. Ends with 1 if something required is missing, or a server that runs on the data folder is not
well.`,
  flags: [{ flag: '--json', doc: 'Print JSON' }],
  async run({ settings, flags }) {
    const results = await runChecks(settings);
    if (flags.has('--json')) print(JSON.stringify(results, null, 2));
    else for (const result of results) print(describeCheck(result));
    return results.some(({ state }) => state === 'missing') ? 1 : 0;
  },
};
