import type { ReactNode } from 'react'
import styles from './palette.module.css'
import type { OptionGroup, PaletteOption } from './palette-options.tsx'
import { paletteListId } from './search-dialog.tsx'
import { elementIdOf } from './use-active-option.ts'

type OptionListProps = {
  groups: readonly OptionGroup[]
  active: { active: number; point: (at: number) => void }
  /** A note below the options. */
  children: ReactNode
}

export function OptionList({ groups, active: { active, point }, children }: OptionListProps) {
  const starts = groups.map((_, at) => groups.slice(0, at).reduce((sum, { options }) => sum + options.length, 0))
  return (
    <>
      <div id={paletteListId} role="listbox" aria-label="Results" className={styles.list}>
        {groups.map(({ title, detail, options }, group) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is no group of options.
          <div key={`${title} ${options[0]?.key}`} role="group" className={styles.group} aria-label={title || 'Library'}>
            {title !== '' && (
              <div className={styles.title} aria-hidden>
                <bdi>{title}</bdi>
                {detail !== undefined && <bdi>{detail}</bdi>}
              </div>
            )}
            {options.map((option, at) => {
              const number = (starts[group] ?? 0) + at
              return <Option key={option.key} option={option} number={number} isActive={number === active} point={point} />
            })}
          </div>
        ))}
      </div>
      <div className={styles.note}>{children}</div>
    </>
  )
}

type OptionProps = { option: PaletteOption; number: number; isActive: boolean; point: (at: number) => void }

const Option = ({ option: { icon: Icon, label, description, isMatch, choose }, number, isActive, point }: OptionProps) => (
  // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the active option.
  // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys.
  <div
    id={elementIdOf(number)}
    role="option"
    aria-selected={isActive}
    className={`${styles.option} ${isMatch ? styles.isMatch : ''}`}
    // A list that scrolls below a resting pointer moves it by nothing.
    onMouseMove={({ movementX, movementY }) => (movementX || movementY) && !isActive && point(number)}
    onMouseDown={(event) => event.preventDefault()}
    onClick={() => choose()}
  >
    <Icon size={18} aria-hidden />
    <div className={styles.words}>
      <div className={styles.label}>{label}</div>
      {description !== undefined && <div className={styles.description}>{description}</div>}
    </div>
  </div>
)
