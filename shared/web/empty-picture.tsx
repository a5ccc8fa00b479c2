import styles from './empty-picture.module.css'

export type PictureName = keyof typeof drawings

/** A small line drawing above an empty list: grey lines, with the accent on what matters. */
export const EmptyPicture = ({ name }: { name: PictureName }) => (
  <svg className={styles.picture} viewBox="0 0 120 72" width={120} height={72} aria-hidden>
    {drawings[name]}
  </svg>
)

const drawings = {
  /** A carrel with an open book. */
  desk: (
    <>
      <path className={styles.fill} d="M30 8h60v40H30z" />
      <path d="M28 66V10a4 4 0 0 1 4-4h56a4 4 0 0 1 4 4v56M28 50h64M36 16h48" />
      <path className={styles.page} d="M59 44c-5-4-11-5-17-3V27c6-2 12-1 17 3zm2 0c5-4 11-5 17-3V27c-6-2-12-1-17 3z" />
    </>
  ),
  /** Books on a board, with a gap. */
  shelf: (
    <>
      <path className={styles.fill} d="M24 18h10v38H24zM84 18h12v38H84z" />
      <path d="M14 56h92M24 56V18h10v38M34 56V26h9v30M84 56V18h12v38" />
      <path className={styles.dashed} d="M58 56V22h11v34" />
      <path className={styles.page} d="m43.5 54.5 7-31 8.500 2-6.800 30.500h-8.700z" />
    </>
  ),
  /** A page under a magnifying glass. */
  search: (
    <>
      <path className={styles.fill} d="M34 8h38v52H34z" />
      <path d="M72 30V12a4 4 0 0 0-4-4H38a4 4 0 0 0-4 4v44a4 4 0 0 0 4 4h20M42 20h22M42 30h12M42 40h8" />
      <circle className={styles.page} cx="70" cy="44" r="13" />
      <path className={styles.accent} d="m80 54 9 9" />
    </>
  ),
  /** Bars without values. */
  chart: (
    <>
      <path className={styles.fill} d="M34 38h10v18H34zM68 28h10v28H68z" />
      <path d="M22 8v48h78M34 56V38h10v18M68 56V28h10v28" />
      <path className={styles.page} d="M51 56V20h10v36z" />
      <path className={styles.dashed} d="M85 56V14h10v42" />
    </>
  ),
  /** A list with nothing to do. */
  list: (
    <>
      <path className={styles.fill} d="M32 10h56v14H32z" />
      <path d="M36 10h48a4 4 0 0 1 4 4v6a4 4 0 0 1-4 4H36a4 4 0 0 1-4-4v-6a4 4 0 0 1 4-4zM52 17h28" />
      <path className={styles.dashed} d="M32 32h56v12H32zM32 52h56v12H32z" />
      <path className={styles.accent} d="m39 17 3 3 5-6" />
    </>
  ),
}
