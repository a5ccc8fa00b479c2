import {
  ActionIcon,
  Alert,
  Button,
  type CSSVariablesResolver,
  createTheme,
  type MantineColorsTuple,
  Modal,
  Table,
  Tooltip,
} from '@mantine/core'

/** Nine steps of one hue; the sixth and seventh carry white text with a contrast above 4.5 : 1. */
const accent: MantineColorsTuple = [
  '#eef1fd',
  '#dbe1fa',
  '#b7c2f4',
  '#90a1ee',
  '#6f84e8',
  '#5a70e0',
  '#4559d0',
  '#3f51c7',
  '#3544a8',
  '#2a3687',
]

/** The colours of state of theme.css: Mantine's are too heavy on a dark page. */
const alertVariables: Record<string, Record<'--alert-bg' | '--alert-color', string>> = {
  red: { '--alert-bg': 'var(--bad-soft)', '--alert-color': 'var(--bad)' },
  yellow: { '--alert-bg': 'var(--warn-soft)', '--alert-color': 'var(--warn)' },
  green: { '--alert-bg': 'var(--good-soft)', '--alert-color': 'var(--good)' },
}

/** Mantine's red with darker steps for filled buttons, whose text is white. */
const red: MantineColorsTuple = [
  '#fff0f0',
  '#ffdede',
  '#ffbcbc',
  '#ff9c9c',
  '#ff8585',
  '#e5484d',
  '#c62f33',
  '#b8262b',
  '#9c1f24',
  '#82191d',
]

/** Greys of the dark theme, in the hue of theme.css. */
const dark: MantineColorsTuple = [
  '#e3e5ec',
  '#b9bcc7',
  '#9599a6',
  '#6c7080',
  '#454957',
  '#343843',
  '#23262e',
  '#1b1d24',
  '#15171c',
  '#101217',
]

export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 6 },
  colors: { accent, dark, red },
  fontFamily: '"Inter Variable", system-ui, sans-serif',
  fontFamilyMonospace: '"JetBrains Mono Variable", ui-monospace, monospace',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  lineHeights: { xs: '1.5', sm: '1.5', md: '1.5', lg: '1.5', xl: '1.4' },
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.5rem', xl: '2rem' },
  defaultRadius: 6,
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.3' },
      h2: { fontSize: '1rem', lineHeight: '1.5' },
      h3: { fontSize: '0.875rem', lineHeight: '1.5' },
    },
  },
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    Alert: Alert.extend({ vars: (_theme, { color }) => ({ root: alertVariables[String(color)] ?? {} }) }),
    Button: Button.extend({ defaultProps: { size: 'sm' } }),
    ActionIcon: ActionIcon.extend({ defaultProps: { variant: 'subtle', color: 'gray' } }),
    Modal: Modal.extend({
      defaultProps: { centered: true, closeButtonProps: { 'aria-label': 'Close' }, transitionProps: { duration: 150 } },
    }),
    Table: Table.extend({
      defaultProps: { verticalSpacing: 8, horizontalSpacing: 'sm', fz: 'sm' },
      classNames: { table: 'rows' },
    }),
    Tooltip: Tooltip.extend({
      defaultProps: { openDelay: 300, multiline: true, maw: 320, events: { hover: true, focus: true, touch: true } },
    }),
  },
})

/** Mantine's greys for secondary text have a contrast below 4.5 : 1; theme.css defines ours. */
export const themeVariables: CSSVariablesResolver = () => {
  const shared = {
    '--mantine-color-body': 'var(--surface)',
    '--mantine-color-text': 'var(--ink)',
    '--mantine-color-dimmed': 'var(--ink-soft)',
    '--mantine-color-placeholder': 'var(--ink-soft)',
    '--mantine-color-default': 'var(--raised)',
    '--mantine-color-default-border': 'var(--line-strong)',
    '--mantine-color-default-hover': 'var(--hover)',
    '--mantine-color-error': 'var(--bad)',
    '--mantine-color-anchor': 'var(--link)',
  }
  return { variables: {}, light: shared, dark: shared }
}
