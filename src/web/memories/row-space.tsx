import { useMyId } from '../session/session.ts';
import { readStorage, writeStorage } from '../storage.ts';
import styles from './memories.module.css';

const KEY = 'safelight.memory-row';

/** Remembers whether the account has a row of memories, for its next visit. */
export const rememberRow = (userId: string, isShown: boolean): void =>
  writeStorage(KEY, isShown ? userId : undefined);

/** Keeps the place of the row until it is loaded, if there was one at the last visit. */
export function MemoryRowSpace() {
  const me = useMyId();
  if (readStorage(KEY) !== me) return null;
  return (
    <div className={styles.row} aria-hidden>
      <ul>
        <li>
          <div className={`${styles.card} ${styles.space}`} />
        </li>
      </ul>
    </div>
  );
}
