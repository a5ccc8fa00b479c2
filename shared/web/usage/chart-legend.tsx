import styles from './usage.module.css'

type ChartLegendProps = {
  label: string
  /** `key` names the colour in the styles. */
  series: { key: string; label: string; value: string; share?: string | undefined }[]
}

/** The colours of a chart with the figures of each series, in the chart's order. */
export const ChartLegend = ({ label, series }: ChartLegendProps) => (
  <ul className={styles.legend} aria-label={label}>
    {series.map((each) => (
      <li key={each.key}>
        <span className={styles.swatch} data-series={each.key} aria-hidden />
        {each.label} <strong>{each.value}</strong>
        {each.share !== undefined && <span className={styles.soft}>{each.share}</span>}
      </li>
    ))}
  </ul>
)
