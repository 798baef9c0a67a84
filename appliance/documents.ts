// bun appliance/documents.ts FOLDER: writes the manual page, the shell completion, the changelog and the licences
// of a package.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLicenceList, listLicences } from '../native/licences.ts';
import type { CommandSpec } from '../src/commands/command.ts';
import { COMMANDS } from '../src/commands/table.ts';
import type { Flag } from '../src/core/command-line.ts';
import { SETTING_FLAGS } from '../src/core/settings.ts';
import { SETTINGS } from '../src/core/setting-table.ts';
import { VERSION } from '../src/core/version.ts';

type Documented = {
  readonly name: string;
  readonly summary: string;
  readonly command: CommandSpec;
};

const commands = await loadCommands();

/** Returns the commands of the help; internal ones have no summary. */
async function loadCommands(): Promise<Documented[]> {
  const found: Documented[] = [];
  for (const [name, { summary, load }] of COMMANDS) {
    if (summary) found.push({ name, summary, command: (await load()).command });
  }
  return found;
}

/** Escapes a text for roff(7). */
const escape = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^([.'])/gm, '\\&$1');

const formatFlag = ({ flag, placeholder, doc }: Flag, more = ''): string =>
  `.TP\n.B ${escape(flag)}${placeholder ? ` \\fI${escape(placeholder)}\\fR` : ''}\n${escape(doc)}${more}`;

function formatManual(): string {
  const sections = commands.map(({ name, summary, command: { usage = '', help, flags = [] } }) =>
    [
      `.SS ${escape(name)}`,
      `${escape(summary)}.\n.PP\n.B safelight ${escape(name)}`,
      `${escape(usage)} [\\fIflags\\fR]`.trim(),
      `.PP\n.nf\n${escape(help)}\n.fi`,
      ...flags.map((flag) => formatFlag(flag)),
    ].join('\n'),
  );
  const settings = Object.values(SETTINGS).map((setting) =>
    formatFlag(
      setting,
      escape(`. In the environment: ${setting.env}. Default: ${setting.initialText}.`),
    ),
  );
  return `${[
    `.TH SAFELIGHT 1 "" "Safelight ${VERSION}" "Safelight"`,
    '.SH NAME\nsafelight \\- photo and video library',
    '.SH SYNOPSIS\n.B safelight\n[\\fIcommand\\fR] [\\fIflags\\fR]',
    '.SH DESCRIPTION\nRuns a library of photos and videos with its own database, and administers it. As the',
    'service, the settings come from /etc/safelight/safelight.env; systemctl(1) starts and stops it.',
    `.SH COMMANDS\n${sections.join('\n')}`,
    `.SH SETTINGS\nFor every command. Flags override the environment.\n${settings.join('\n')}`,
    '.SH FILES\n.TP\n.I /etc/safelight/safelight.env\nSettings of the service.',
    '.TP\n.I /var/lib/safelight\nThe library: originals, derived files, database, backups.',
    '.SH "EXIT STATUS"\n0 on success, 1 when the command cannot be carried out, 2 when it is called wrongly.',
  ].join('\n')}\n`;
}

const listNames = (flags: readonly Flag[]): string => flags.map(({ flag }) => flag).join(' ');

/** Returns the words that a usage begins with, as `list` and `pull` of "list | pull | rm TASK/NAME". */
const listActions = (usage: string): string[] =>
  usage.includes('|')
    ? [...usage.matchAll(/(?:^|[(|])\s*([a-z][a-z-]*)/g)].map(([, word]) => word!)
    : [];

/** Returns a completion for bash: commands, then their actions and flags, and values of flags as file names. */
function formatCompletion(): string {
  const cases = commands.map(({ name, command: { usage = '', flags = [] } }) => {
    const words = [...listActions(usage), listNames(flags)].join(' ').trim();
    return `    ${name}) words="${words}" ;;`;
  });
  return `# bash completion for safelight(1)
_safelight() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words
  local settings="${listNames(SETTING_FLAGS)}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "${commands.map(({ name }) => name).join(' ')} help" -- "$word")
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    *) words="" ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words $settings --help" -- "$word")
}
complete -o default -F _safelight safelight
`;
}

/** Returns the list of packages, without the texts: a Debian package must not repeat the GPL. */
function formatCopyright(packages: ReturnType<typeof listLicences>): string {
  const lines = packages.map(({ name, version, licence }) => `  ${name} ${version}: ${licence}`);
  return `Safelight ${VERSION}
Copyright 2026 the authors of Safelight

The program contains these packages. Their copyright notices and licences are in
/usr/share/doc/safelight/licences.txt.gz; those of the GPL, the LGPL and the Apache License are also
in /usr/share/common-licenses.

${lines.join('\n')}
`;
}

function formatLicences(packages: ReturnType<typeof listLicences>): string {
  const list = createLicenceList(packages);
  return list.texts
    .map((text, index) => {
      const names = list.packages.filter((one) => one.text === index);
      return `${names.map(({ name, version }) => `${name} ${version}`).join(', ')}\n\n${text}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

/** Returns the changelog of the documentation in the form of Debian. */
function formatChangelog(): string {
  const text = readFileSync(join(import.meta.dir, 'docs/changelog.md'), 'utf8');
  const entries = text.matchAll(/^## (\S+) \((\S+)\)\n+(.*?)(?=^## |(?![^]))/gms);
  return [...entries]
    .map(([, version, day, list]) => {
      const items = list!
        .trimEnd()
        .replaceAll(/^- /gm, '  * ')
        .replaceAll(/^ {2}(?! ?\*)/gm, '    ');
      const date = new Date(`${day}T00:00:00Z`).toUTCString().replace('GMT', '+0000');
      const who = 'Safelight <safelight@localhost.localdomain>';
      return `safelight (${version}) stable; urgency=medium\n\n${items}\n\n -- ${who}  ${date}\n`;
    })
    .join('\n');
}

const folder = process.argv[2]!;
const licences = listLicences();
const files = {
  'safelight.1': formatManual(),
  completion: formatCompletion(),
  copyright: formatCopyright(licences),
  'licences.txt': formatLicences(licences),
  changelog: formatChangelog(),
};
for (const [name, text] of Object.entries(files)) await Bun.write(join(folder, name), text);
