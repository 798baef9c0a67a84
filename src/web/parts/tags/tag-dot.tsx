import styles from './tags.module.css';
/** The colour of a tag; the accent where it has none. */
export const TagDot = ({ color }: { color: string | undefined }) => (
  <span
    className={styles.tagDot}
    style={color ? { backgroundColor: color } : undefined}
    aria-hidden
  />
);
