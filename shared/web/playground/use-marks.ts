import { type RefCallback, useCallback } from 'react'
import { stemmer } from 'stemmer'

const name = 'matched-words'
const wordPattern = /\p{Lu}?\p{Ll}+|\p{Lu}+|\p{N}+|\p{L}+/gu

/** More than any snippet of our own has. */
const maxMarkedChars = 200_000

/**
 * A ref that marks the words of a text that have the stem of one of `words`, also those that are rendered later. The text itself stays
 * as it is: browsers without the CSS Custom Highlight API show it without marks.
 */
export function useMarks(words: readonly string[]): RefCallback<HTMLElement> {
  const joined = words.join(' ')
  return useCallback(
    (element) => {
      if (!element || typeof Highlight === 'undefined') return
      const stems = new Set([...joined.toLowerCase().matchAll(wordPattern)].map(([word]) => stemmer(word)))
      const shown = CSS.highlights.get(name) ?? new Highlight()
      CSS.highlights.set(name, shown)
      let ranges: Range[] = []
      const clear = () => {
        for (const range of ranges) shown.delete(range)
      }
      const mark = () => {
        clear()
        ranges = [...rangesIn(element, stems)]
        for (const range of ranges) shown.add(range)
      }
      mark()
      const observer = new MutationObserver(mark)
      observer.observe(element, { childList: true, subtree: true, characterData: true })
      return () => {
        observer.disconnect()
        clear()
      }
    },
    [joined],
  )
}

function* rangesIn(element: HTMLElement, stems: ReadonlySet<string>): Generator<Range> {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  let left = maxMarkedChars
  for (let node = walker.nextNode(); node && left > 0; node = walker.nextNode()) {
    const text = (node.textContent ?? '').slice(0, left)
    left -= text.length
    for (const { 0: word, index } of text.matchAll(wordPattern)) {
      if (!stems.has(stemmer(word.toLowerCase()))) continue
      const range = new Range()
      range.setStart(node, index)
      range.setEnd(node, index + word.length)
      yield range
    }
  }
}
