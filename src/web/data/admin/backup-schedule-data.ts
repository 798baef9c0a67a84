export type Schedule =
  /** `time` as '02:00'; `weekday` from 0, Sunday. */
  | { readonly kind: 'daily'; readonly time: string }
  | { readonly kind: 'weekly'; readonly time: string; readonly weekday: number }
  | { readonly kind: 'cron'; readonly expression: string };

const DAILY = /^(\d{1,2}) (\d{1,2}) \* \* (\*|[0-7])$/;

const pad = (text: string): string => text.padStart(2, '0');

/** Returns what a cron expression says in words that the page has. */
export function parseSchedule(expression: string): Schedule {
  const [, minute, hour, weekday] = DAILY.exec(expression.trim()) ?? [];
  if (!minute || !hour || !weekday || Number(minute) > 59 || Number(hour) > 23) {
    return { kind: 'cron', expression };
  }
  const time = `${pad(hour)}:${pad(minute)}`;
  if (weekday === '*') return { kind: 'daily', time };
  return { kind: 'weekly', time, weekday: Number(weekday) % 7 };
}

export function toCronExpression(schedule: Schedule): string {
  if (schedule.kind === 'cron') return schedule.expression;
  const [hour, minute] = schedule.time.split(':').map(Number);
  return `${minute} ${hour} * * ${schedule.kind === 'daily' ? '*' : schedule.weekday}`;
}

const DEFAULT_TIME = '02:00';

/** Returns a schedule of another kind that is as near to this one as can be. */
export function changeKind(schedule: Schedule, kind: string): Schedule {
  const time = schedule.kind === 'cron' ? DEFAULT_TIME : schedule.time;
  switch (kind) {
    case 'daily':
      return { kind, time };
    case 'weekly':
      return { kind, time, weekday: 0 };
    default:
      return { kind: 'cron', expression: toCronExpression(schedule) };
  }
}
