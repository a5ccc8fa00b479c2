import { common, createLowlight } from 'lowlight'
import { createElement, Fragment, type ReactNode, useMemo } from 'react'
import './highlighted.css'

const lowlight = createLowlight(common)
/** Longer code is shown without colours, which would take too long. */
const maxChars = 50_000

type Node = ReturnType<typeof lowlight.highlight>['children'][number]

export function Highlighted({ code, language = '' }: { code: string; language?: string | undefined }) {
  const nodes = useMemo(
    () => (code.length <= maxChars && lowlight.registered(language) ? lowlight.highlight(language, code).children : undefined),
    [code, language],
  )
  return nodes ? render(nodes) : code
}

const render = (nodes: readonly Node[]): ReactNode => createElement(Fragment, null, ...nodes.map(renderOne))

function renderOne(node: Node): ReactNode {
  if (node.type === 'text') return node.value
  if (node.type !== 'element') return null
  const names = node.properties.className
  return <span className={Array.isArray(names) ? names.join(' ') : ''}>{render(node.children as Node[])}</span>
}
