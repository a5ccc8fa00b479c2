import { useLocation } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { type Heading, headingAt } from './passages.ts'
import { headingId } from './reader-heading.tsx'

/** The distance from the top, in pixels, at which a heading is the one that is being read. */
const readingLine = 120

const elementOf = ({ anchor }: Heading): HTMLElement | null => document.getElementById(headingId(anchor))

/** The anchor of the heading that is being read, while the page is scrolled. */
export function useCurrentHeading(headings: readonly Heading[]): string | undefined {
  const [current, setCurrent] = useState<string>()
  useEffect(() => {
    let frame = 0
    const read = () => {
      frame = 0
      setCurrent(headings[lastAbove(headings)]?.anchor)
    }
    const scrolled = () => {
      frame ||= requestAnimationFrame(read)
    }
    read()
    addEventListener('scroll', scrolled, { passive: true })
    return () => {
      removeEventListener('scroll', scrolled)
      cancelAnimationFrame(frame)
    }
  }, [headings])
  return current
}

/** The index of the last heading above the reading line, -1 if there is none. Headings are in the order of the page. */
function lastAbove(headings: readonly Heading[]): number {
  let [low, high] = [0, headings.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const top = headings[middle] && elementOf(headings[middle])?.getBoundingClientRect().top
    if (top !== undefined && top <= readingLine) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Scrolls to the heading of the address, when it is there: a long page arrives in parts. Text above it that is formatted later moves it once more. */
export function useHeadingOfAddress(headings: readonly Heading[]): void {
  const { hash, key } = useLocation({ select: ({ hash, state }) => ({ hash, key: state.__TSR_key }) })
  const done = useRef('')
  useEffect(() => {
    const place = `${key} ${hash}`
    const heading = headingAt(headings, hash)
    if (!heading || done.current === place) return
    done.current = place
    const element = elementOf(heading)
    element?.scrollIntoView()
    element?.focus({ preventScroll: true })
    const later = [50, 250, 600].map((ms) => setTimeout(() => stayAt(element), ms))
    const stop = () => later.forEach(clearTimeout)
    for (const event of ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const) addEventListener(event, stop, { once: true })
    return stop
  }, [headings, hash, key])
}

function stayAt(element: HTMLElement | null): void {
  if (element && Math.abs(element.getBoundingClientRect().top - scrollMargin(element)) > 2) element.scrollIntoView()
}

const scrollMargin = (element: HTMLElement): number => Number.parseFloat(getComputedStyle(element).scrollMarginTop) || 0
