const DAY_MINUTES = 24 * 60;

/** Returns by how many minutes the clocks of a time zone (IANA) are ahead of UTC; 0 for one that this browser does not know. */
function getOffset(timeZone: string, at: Date): number {
  try {
    const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
    const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(format.format(at)) ?? [];
    return sign ? Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) : 0;
  } catch {
    return 0;
  }
}

const pad = (value: number): string => String(value).padStart(2, '0');

type Clock = { readonly timeZone: string; readonly ownZone?: string; readonly at?: Date };

const getDifference = ({ timeZone, ownZone = getOwnZone(), at = new Date() }: Clock): number =>
  getOffset(ownZone, at) - getOffset(timeZone, at);

const getOwnZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Whether the clocks of the reader and of the server show the same time now. */
export const isOwnTime = (clock: Clock): boolean => getDifference(clock) === 0;

/** Returns a time of the server's clock, '02:00', by that of the reader. */
export function toOwnTime(time: string, clock: Clock): string {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  const minutes = hour * 60 + minute + getDifference(clock);
  const own = (minutes + 2 * DAY_MINUTES) % DAY_MINUTES;
  return `${pad(Math.floor(own / 60))}:${pad(own % 60)}`;
}

/** 'Etc/UTC' is read as UTC. */
export const describeZone = (timeZone: string): string => timeZone.replace(/^Etc\//, '');
