/** The colour of a tag; the accent where it has none. */
export const TagDot = ({ color }: { color: string | undefined }) => (
  <span className="tag-dot" style={color ? { backgroundColor: color } : undefined} aria-hidden />
);
