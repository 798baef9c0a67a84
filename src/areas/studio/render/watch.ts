/** Aborts its signal once `isWanted` says no; asks again and again until it is stopped. */
export function watchWhile(isWanted: () => Promise<boolean>, everyMs: number) {
  const controller = new AbortController();
  let isOver = false;
  const check = async () => {
    while (!isOver && !controller.signal.aborted) {
      if (!(await isWanted().catch(() => true)))
        controller.abort(new Error('It is not wanted any more'));
      await Bun.sleep(everyMs);
    }
  };
  void check();
  return { signal: controller.signal, stop: () => void (isOver = true) };
}
