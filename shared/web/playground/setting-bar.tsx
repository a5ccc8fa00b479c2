import { Checkbox, Group, NumberInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { type ComparedSetting, tokenRange } from './playground-search.ts'
import type { ShownAnswer } from './shown-answer.ts'

type SettingBarProps = {
  setting: ComparedSetting
  change: (setting: ComparedSetting) => void
  answer: ShownAnswer | undefined
  children: ReactNode
}

/** Offers to switch off the steps that exist for the library. */
export function SettingBar({ setting, change, answer, children }: SettingBarProps) {
  // The switches stay while another answer loads, and so does the focus in one.
  const [available, setAvailable] = useState(answer?.available)
  if (answer && answer.available !== available) setAvailable(answer.available)
  // Without an answer, what an address switches off can be switched on.
  const offered = available ?? { reranking: setting.fast, vectors: !setting.vectors }
  return (
    <Group gap="md" align="end">
      <TokensField key={setting.tokens} tokens={setting.tokens} onChange={(tokens) => change({ ...setting, tokens })} />
      {offered.reranking && (
        <Checkbox
          label="Fast (no reranking)"
          checked={setting.fast}
          onChange={(event) => change({ ...setting, fast: event.currentTarget.checked })}
        />
      )}
      {offered.vectors && (
        <Checkbox
          label="Vectors"
          checked={setting.vectors}
          onChange={(event) => change({ ...setting, vectors: event.currentTarget.checked })}
        />
      )}
      {children}
    </Group>
  )
}

/** Asks again when the field is left or Enter is pressed, not at each digit. */
function TokensField({ tokens, onChange }: { tokens: number; onChange: (tokens: number) => void }) {
  const [value, setValue] = useState<number | string>(tokens)
  const commit = () => {
    const chosen = Math.min(tokenRange.max, Math.max(tokenRange.min, Math.round(Number(value)) || tokens))
    setValue(chosen)
    if (chosen !== tokens) onChange(chosen)
  }
  return (
    <NumberInput
      label="Tokens"
      size="xs"
      w={110}
      {...tokenRange}
      step={500}
      thousandSeparator=","
      value={value}
      onChange={setValue}
      onBlur={commit}
      onKeyDown={(event) => event.key === 'Enter' && commit()}
    />
  )
}
