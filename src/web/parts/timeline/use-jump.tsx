import { type ReactNode, useState } from 'react';
import { lazyComponent } from '../../ui/lazy.tsx';
import { useLatest } from '../../ui/use-latest.ts';
import { findMonthOfDay, findPlaceOfDay, getDayRange } from './jump.ts';
import { HEAD_HEIGHT } from '../../data/timeline/layout.ts';
import type { Scroller } from '../grid/scroller.ts';
import { findBand, getRowSpan, HEADER, type Plan } from '../../data/timeline/sections.ts';
import type { Timeline } from '../../data/timeline/timeline-data.ts';

const JumpDialog = lazyComponent(() =>
  import('./jump-dialog.tsx').then((module) => module.JumpDialog),
);

/** Goes to a day that a dialog asks for, and focuses its first photo. */
export function useJump(
  plan: Plan,
  scroller: Scroller,
  timeline: Timeline,
  focusOn: (id: string) => void,
): { askForDay: () => void; dialog: ReactNode } {
  const [current, setCurrent] = useState<string>();
  const latest = useLatest(plan);

  async function jumpTo(day: string): Promise<void> {
    const key =
      latest.current.sections[findMonthOfDay(latest.current, day, timeline.filter)]?.month.key;
    if (key === undefined) return;
    const section = () => latest.current.sections.findIndex(({ month }) => month.key === key);
    scroller.scrollTo(latest.current.sections[section()]?.top ?? 0);
    await timeline.loadMonth(key);
    await new Promise(requestAnimationFrame);
    const now = latest.current;
    const place = findPlaceOfDay(now, section(), day, timeline.filter);
    const id = place && now.sections[place.section]?.month.columns?.id[place.item];
    if (!place || id === undefined) return;
    scroller.scrollTo(getRowSpan(now, place).top - HEADER - HEAD_HEIGHT);
    focusOn(id);
  }

  const askForDay = () => {
    const at = plan.sections[findBand(plan, Math.max(0, scroller.top()))];
    if (at) setCurrent(at.month.key);
  };
  const dialog = current !== undefined && (
    <JumpDialog
      {...getDayRange(plan)}
      current={current}
      onJump={(day) => void jumpTo(day)}
      onClose={() => setCurrent(undefined)}
    />
  );
  return { askForDay, dialog };
}
