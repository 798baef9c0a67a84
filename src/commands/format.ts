/** Formats a count: 1,234. */
export const formatCount = (count: number): string => count.toLocaleString('en');

/** Formats a duration, rounded down: 45 s, 12 min, 3 h 12 min, 5 d 2 h. */
export function formatDuration(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (minutes < 1) return `${Math.max(0, Math.floor(seconds))} s`;
  if (hours < 1) return `${minutes} min`;
  if (hours < 24) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Replaces control characters: a message may have the name of a file in it, and a terminal obeys it. */
export const toOneLine = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim();
