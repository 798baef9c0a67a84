import { type ReactNode, useEffect, useRef, useState } from 'react';
import styles from './sections.module.css';
import { t } from '../base/i18n.ts';

export type Section = {
  /** The id of its element. */
  readonly id: string;
  readonly title: string;
};

type Props = {
  sections: readonly Section[];
  /** Stays in sight, above the index. */
  head?: ReactNode;
  children: ReactNode;
};

/** A long page with an index of its sections: beside it, or as a choice above it where there is no room. */
export function Sections({ sections, head, children }: Props) {
  const { box, current, jump } = useCurrentSection(sections);
  return (
    <div ref={box} className={styles.sections}>
      <div className={styles.aside}>
        {head}
        {sections.length > 1 && (
          <>
            <nav aria-label={t('On this page')} className={styles.index}>
              <ul>
                {sections.map(({ id, title }) => (
                  <li key={id}>
                    <a
                      href={`#${id}`}
                      aria-current={id === current ? 'true' : undefined}
                      onClick={() => jump(id)}
                    >
                      {title}
                    </a>
                  </li>
                ))}
              </ul>
            </nav>
            <select
              className={styles.choice}
              aria-label={t('On this page')}
              value={current}
              onChange={({ target }) => {
                jump(target.value);
                location.hash = target.value;
              }}
            >
              {sections.map(({ id, title }) => (
                <option key={id} value={id}>
                  {title}
                </option>
              ))}
            </select>
          </>
        )}
      </div>
      <div className={styles.column}>{children}</div>
    </div>
  );
}

/** A section is the current one from where its top is so far below that of the page, in px. */
const EDGE_PX = 120;

function useCurrentSection(sections: readonly Section[]) {
  const box = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState(sections[0]?.id ?? '');
  const isJump = useRef(false);
  const ids = sections.map(({ id }) => id).join(' ');
  useEffect(() => {
    const page = box.current?.closest('.page');
    if (!page) return undefined;
    const wanted = location.hash.slice(1);
    if (ids.split(' ').includes(wanted)) document.getElementById(wanted)?.scrollIntoView();
    const follow = () => {
      // The last sections may be too short to come to the top.
      if (isJump.current) isJump.current = false;
      else setCurrent(findCurrent(page, ids.split(' ')));
    };
    follow();
    page.addEventListener('scroll', follow, { passive: true });
    return () => page.removeEventListener('scroll', follow);
  }, [ids]);
  const jump = (id: string) => {
    isJump.current = true;
    setCurrent(id);
  };
  return { box, current, jump };
}

function findCurrent(page: Element, ids: readonly string[]): string {
  const edge = page.getBoundingClientRect().top + EDGE_PX;
  const isPassed = (id: string) =>
    (document.getElementById(id)?.getBoundingClientRect().top ?? Infinity) <= edge;
  const isAtEnd = page.scrollTop > 0 && page.scrollTop + page.clientHeight >= page.scrollHeight - 2;
  return (isAtEnd ? ids.at(-1) : ids.findLast(isPassed)) ?? ids[0] ?? '';
}
