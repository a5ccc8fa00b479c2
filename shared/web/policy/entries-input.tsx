import { TagsInput, type TagsInputProps } from '@mantine/core'
import styles from './policy-form.module.css'

/** A list of texts. Enter, a comma or a pasted list adds entries. */
export const EntriesInput = (props: TagsInputProps) => (
  <TagsInput
    acceptValueOnBlur
    splitChars={[',', ' ', '\n']}
    clearable={false}
    classNames={{ inputField: styles.entry ?? '' }}
    {...props}
  />
)
