import { type RefObject, useEffect, useState } from 'react'

const distance = '1200px 0px'
const arrivals = new WeakMap<Element, () => void>()
let observer: IntersectionObserver | undefined

/** True once the element was near the visible part of the page. One observer serves all elements. */
export function useNear(ref: RefObject<Element | null>, isNearAtFirst: boolean): boolean {
  const [isNear, setNear] = useState(isNearAtFirst)
  useEffect(() => {
    const element = ref.current
    if (isNear || !element) return
    observer ??= new IntersectionObserver(notify, { rootMargin: distance })
    arrivals.set(element, () => setNear(true))
    observer.observe(element)
    return () => observer?.unobserve(element)
  }, [ref, isNear])
  return isNear
}

function notify(entries: IntersectionObserverEntry[]): void {
  for (const { target, isIntersecting } of entries) if (isIntersecting) arrivals.get(target)?.()
}
