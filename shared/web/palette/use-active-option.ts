import { useEffect, useLayoutEffect, useState } from 'react'
import type { OptionGroup, PaletteOption } from './palette-options.tsx'
import type { PaletteProps } from './search-dialog.tsx'

export const elementIdOf = (at: number): string => `palette-option-${at}`

type Props = Pick<PaletteProps, 'query' | 'isOpen' | 'onKey' | 'entered' | 'setActive'> & {
  /** False while the options may be those of an earlier text. */
  isCurrent: boolean
  /** Leaves the choice of a library. */
  leave: (() => void) | undefined
}

/** The option that Enter chooses: the first one until another is pointed at, which stays active while more options come. */
export function useActiveOption(groups: readonly OptionGroup[], { query, isOpen, isCurrent, leave, ...dialog }: Props) {
  const { onKey, entered, setActive } = dialog
  const options = groups.flatMap((group) => group.options)
  const [pointed, setPointed] = useState({ query: '', key: '' })
  const at = pointed.query === query ? options.findIndex(({ key }) => key === pointed.key) : -1
  const active = Math.max(at, 0)
  const choose = (option: PaletteOption | undefined) => {
    entered.current = undefined
    option?.choose()
  }
  const point = (to: number) => setPointed({ query, key: options.at(to % options.length)?.key ?? '' })
  const keys: Record<string, () => unknown> = {
    ArrowDown: () => point(active + 1),
    ArrowUp: () => point(active - 1),
    PageDown: () => point(Math.min(active + 8, options.length - 1)),
    PageUp: () => point(Math.max(active - 8, 0)),
    Enter() {
      if (isCurrent || at >= 0 || (options[active]?.isOfText && options[active].key !== 'all')) choose(options[active])
      else entered.current = query
    },
    ...(leave && { Escape: leave, ...(query === '' && { Backspace: leave }) }),
  }
  // A later effect would run after the next key of somebody who types fast.
  useLayoutEffect(() => {
    onKey.current = (key) => {
      keys[key]?.()
      return key in keys
    }
    if (isOpen && isCurrent && entered.current === query) choose(options[active])
  })
  const elementId = options.length > 0 ? elementIdOf(active) : undefined
  useLayoutEffect(() => setActive(elementId), [elementId, setActive])
  const activeKey = options[active]?.key
  useEffect(() => {
    if (activeKey !== undefined) document.getElementById(elementIdOf(active))?.scrollIntoView({ block: 'nearest' })
  }, [active, activeKey])
  return { active, point }
}
