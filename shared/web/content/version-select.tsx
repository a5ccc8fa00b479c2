import { NativeSelect } from '@mantine/core'

type VersionSelectProps = {
  label: string
  /** The name of the version that is served by default, which is the empty text. */
  defaultVersion: string
  versions: readonly string[]
  value: string
  choose: (version: string) => void
}

/** The versions of a library. One that it does not have is shown as missing. */
export const VersionSelect = ({ label, defaultVersion, versions, value, choose }: VersionSelectProps) => (
  <NativeSelect
    aria-label={label}
    data={[
      { value: '', label: `${defaultVersion} (latest)` },
      ...versions,
      ...(value === '' || versions.includes(value) ? [] : [{ value, label: `${value} (missing)` }]),
    ]}
    value={value}
    onChange={(event) => choose(event.currentTarget.value)}
  />
)
