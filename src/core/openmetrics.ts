/** A metric family of OpenMetrics 1.0 (https://prometheus.io/docs/specs/om/open_metrics_spec). */
export type MetricFamily = {
  /** Without `_total`; ends with the unit if there is one. */
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'info';
  readonly unit?: 'bytes' | 'seconds';
  readonly help: string;
  readonly samples: readonly Sample[];
};

export type Sample = {
  /** As `_total`, `_bucket`. */
  readonly suffix?: string;
  readonly labels?: Labels;
  readonly value: number;
};

/** Values come from small fixed sets: each combination is a time series. */
export type Labels = Readonly<Record<string, string>>;

export const OPENMETRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/** Returns the exposition. Families without samples are left out. */
export const formatMetrics = (families: readonly MetricFamily[]): string =>
  `${families
    .filter(({ samples }) => samples.length > 0)
    .map(formatFamily)
    .join('')}# EOF\n`;

const formatFamily = ({ name, type, unit, help, samples }: MetricFamily): string =>
  [
    `# TYPE ${name} ${type}\n`,
    unit ? `# UNIT ${name} ${unit}\n` : '',
    `# HELP ${name} ${escape(help)}\n`,
    ...samples.map(
      ({ suffix = '', labels, value }) => `${name}${suffix}${formatLabels(labels)} ${value}\n`,
    ),
  ].join('');

function formatLabels(labels: Labels | undefined): string {
  if (!labels) return '';
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escape(value)}"`);
  return `{${pairs.join(',')}}`;
}

const escape = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
