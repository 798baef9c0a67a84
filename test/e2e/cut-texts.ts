import type { Page } from 'playwright-core';

/**
 * Returns the texts that are cut by an edge of what holds them, or of the window. What can be scrolled is no edge; what
 * is hidden, or shown to screen readers only, is not meant.
 */
export const listCutTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const SCROLLS = /auto|scroll/;
    const isCut = (text: Text): boolean => {
      const range = document.createRange();
      range.selectNodeContents(text);
      const { left, right, top, bottom, width } = range.getBoundingClientRect();
      if (width === 0) return false;
      for (let box = text.parentElement; box; box = box.parentElement) {
        const { overflowX, overflowY, clipPath } = getComputedStyle(box);
        if (clipPath !== 'none' || SCROLLS.test(overflowX)) return false;
        if (overflowX === 'visible') continue;
        const edge = box.getBoundingClientRect();
        if (left < edge.left - 1 || right > edge.right + 1) return true;
        if (SCROLLS.test(overflowY)) return false;
        if (top < edge.top - 2 || bottom > edge.bottom + 2) return true;
      }
      return left < -1 || right > innerWidth + 1;
    };
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const cut: string[] = [];
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const parent = text.parentElement!;
      if (!text.textContent?.trim() || parent.closest('option, script, style')) continue;
      const isShown = parent.checkVisibility({ visibilityProperty: true, opacityProperty: true });
      if (isShown && isCut(text as Text)) cut.push(`“${text.textContent}” is cut`);
    }
    return cut;
  });
