import { type ComponentType, createContext, Suspense, useContext } from 'react'
import { formatDate } from './time-ago.tsx'

/** `isPlain`: without a link. */
type SettingName = { name: string; isPlain?: boolean }

/** Shows a setting of the API by its label in the settings, or the name as it is if there is no such setting. */
export const SettingNameContext = createContext<ComponentType<SettingName> | undefined>(undefined)

/** Names of settings such as `llm.apiKey`, and times such as `2026-03-01T10:00:00.000Z`. */
const special = /(\b[a-z]+\.[a-z]+[A-Z]?[A-Za-z]*\b|\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?Z)/

/** A sentence of the API in the words of the UI: times are local, and settings are links to their fields. */
export function MessageText({ children, isPlain = false }: { children: string; isPlain?: boolean }) {
  const Setting = useContext(SettingNameContext)
  return children.split(special).map((part, at) => {
    const key = `${at} ${part}`
    if (at % 2 === 0) return part
    if (/^\d/.test(part)) return formatDate(part)
    return Setting ? (
      <Suspense key={key}>
        <Setting name={part} isPlain={isPlain} />
      </Suspense>
    ) : (
      part
    )
  })
}
