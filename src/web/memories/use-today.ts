import { useEffect, useState } from 'react';
import { getToday } from './queries.ts';

const CHECK_MS = 60_000;

/** Returns today's date in the viewer's calendar, also where the page is left open over midnight. */
export function useToday(): string {
  const [today, setToday] = useState(getToday);
  useEffect(() => {
    const check = () => setToday(getToday());
    const timer = setInterval(check, CHECK_MS);
    // A sleeping device stops the timer.
    document.addEventListener('visibilitychange', check);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', check);
    };
  }, []);
  return today;
}
