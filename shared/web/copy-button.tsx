import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { Check, Copy } from 'lucide-react'

type CopyButtonProps = {
  value: string
  /** The name of the copied text, for example "the address". */
  label: string
  /** Shows this text in a button instead of an icon. */
  children?: string
}

export function CopyButton({ value, label, children }: CopyButtonProps) {
  const { copied, copy } = useClipboard({ timeout: 1500 })
  const icon = copied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />
  if (children !== undefined)
    return (
      <Button variant="default" size="xs" leftSection={icon} onClick={() => copy(value)}>
        {copied ? 'Copied' : children}
      </Button>
    )
  return (
    <Tooltip label={copied ? 'Copied' : `Copy ${label}`}>
      <ActionIcon aria-label={copied ? 'Copied' : `Copy ${label}`} onClick={() => copy(value)}>
        {icon}
      </ActionIcon>
    </Tooltip>
  )
}
